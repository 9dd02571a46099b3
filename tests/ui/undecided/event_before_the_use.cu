//@ undecided: 1
// The event for which the free waits was recorded before the use.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void twice(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > 4096) return 1;
  cudaStream_t s, other;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t e, f;
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  float *p;
  int grid = (n + 63) / 64;
  cudaMallocAsync(&p, n * sizeof(float), s);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(other, e, 0);
  cudaEventRecord(f, other);
  twice<<<grid, 64, 0, other>>>(p, n);
  cudaStreamWaitEvent(s, f, 0);
  cudaFreeAsync(p, s);
  return cudaDeviceSynchronize();
}
