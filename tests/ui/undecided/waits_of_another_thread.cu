//@ undecided: 1
// Another thread waits for the stream that allocates, and this one does not wait for the thread.
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>

__global__ void twice(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > 4096) return 1;
  cudaStream_t s, other, third;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
  cudaEvent_t e, f;
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  float *p;
  int grid = (n + 63) / 64;
  cudaMallocAsync(&p, n * sizeof(float), other);
  std::thread t([=] { cudaStreamSynchronize(other); });
  twice<<<grid, 64, 0, third>>>(p, n);
  t.join();
  return cudaDeviceSynchronize();
}
