// Copies to shared memory in the background, within bounds.
//@ flags: -arch=sm_90
//@ decided
#include <cuda_pipeline.h>
__global__ void k(const int *a, int *c, int n) {
  __shared__ int4 s[2][32];
  int i = threadIdx.x;
  for (int round = 0; round < n; round++) {
    __pipeline_memcpy_async(&s[round % 2][i], a + 128 * round + 4 * i, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    c[32 * round + i] = s[round % 2][i].x;
  }
}
int main() {
  int *a, *c;
  int n = 10;
  cudaMalloc(&a, n * 128 * sizeof(int));
  cudaMalloc(&c, n * 32 * sizeof(int));
  k<<<1, 32>>>(a, c, n);
  return cudaDeviceSynchronize();
}
