//@ decided
// Memory that is allocated and freed in the order of streams, with work in another stream that events, the default stream or the host put behind
// the allocation and before the free.
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
  float *p, *q;
  int grid = (n + 63) / 64;
  for (int i = 0; i < 10; i++) {
    cudaMallocAsync(&p, n * sizeof(float), s);
    cudaMemsetAsync(p, 0, n * sizeof(float), s);
    twice<<<grid, 64, 0, s>>>(p, n);
    cudaFreeAsync(p, s);
  }
  // By events.
  cudaMallocAsync(&p, n * sizeof(float), s);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(other, e, 0);
  twice<<<grid, 64, 0, other>>>(p, n);
  cudaEventRecord(f, other);
  cudaStreamWaitEvent(s, f, 0);
  cudaFreeAsync(p, s);
  // The default stream waits for one that waits for it.
  cudaMallocAsync(&p, n * sizeof(float), s);
  twice<<<grid, 64>>>(p, n);
  cudaFreeAsync(p, s);
  // The host waits.
  cudaMallocAsync(&p, n * sizeof(float), s);
  cudaMallocAsync(&q, n * sizeof(float), s);
  cudaStreamSynchronize(s);
  twice<<<grid, 64, 0, other>>>(p, n);
  cudaStreamSynchronize(other);
  cudaFreeAsync(p, s);
  twice<<<grid, 64, 0, other>>>(q, n);
  cudaStreamSynchronize(other);
  cudaFree(q);
  return cudaDeviceSynchronize();
}
