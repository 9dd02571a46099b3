// Tasks launch a kernel whose guard is one too many.
#include <cstdlib>
#include <future>
#include <vector>
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 1; //~ oob-global proved
}

struct Worker {
  float *p;
  int n;
  bool run(int block) {
    fill<<<(n + block - 1) / block, block>>>(p, n);
    return cudaDeviceSynchronize() == cudaSuccess;
  }
};

static std::vector<float> part(float *p, int n) {
  fill<<<(n + 255) / 256, 256>>>(p, n);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), p, n * sizeof(float), cudaMemcpyDeviceToHost);
  return host;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  std::future<std::vector<float>> first = std::async(std::launch::async, part, a, n);
  Worker worker{b, n};
  std::future<bool> second = std::async(std::launch::async, &Worker::run, &worker, 128);
  auto third = std::async(std::launch::async, [=] { fill<<<(n + 63) / 64, 64>>>(c, n); });
  third.wait();
  return second.get() && first.get()[0] == 1;
}
