// A task writes a size and throws: what it wrote is not known after its exception is caught.
//@ undecided: 1
#include <cstdlib>
#include <future>
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}
struct Worker {
  int *size;
  void run(int x) {
    if (x == 3) {
      *size = x + 500;
      throw 1;
    }
    cudaDeviceSynchronize();
  }
};
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  float *a;
  int size = n;
  cudaMalloc(&a, n * sizeof(float));
  Worker w{&size};
  std::future<void> f = std::async(std::launch::async, &Worker::run, &w, n);
  try {
    f.get();
  } catch (int) {
  }
  fill<<<(n + 255) / 256 + 9, 256>>>(a, size);
  return cudaDeviceSynchronize();
}
