// Memory that one stream allocates and frees, and that another one uses in between, in an order that events set (CUDA C++ Programming
// Guide 13.0, Stream Ordered Memory Allocator).
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void twice(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}
__global__ void sum(const float *p, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, p[i]);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > 4096) return 1;
  cudaStream_t s, other;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t ready, done;
  cudaEventCreate(&ready);
  cudaEventCreate(&done);
  int grid = (n + 63) / 64;
  float *p, *out;
  cudaMalloc(&out, sizeof(float));
  cudaMallocAsync(&p, n * sizeof(float), s);
  twice<<<grid, 64, 0, s>>>(p, n);
  cudaEventRecord(ready, s);
  cudaStreamWaitEvent(other, ready, 0);
  sum<<<grid, 64, 0, other>>>(p, out, n);
  cudaEventRecord(done, other);
  twice<<<grid, 64, 0, s>>>(p, n);
  cudaStreamWaitEvent(s, done, 0);
  cudaFreeAsync(p, s);
  cudaDeviceSynchronize();
  cudaFree(out);
}
