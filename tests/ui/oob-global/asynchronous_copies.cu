// Copies to shared memory in the background: the source ends before the last thread's part.
//@ flags: -arch=sm_90
#include <cuda_pipeline.h>
__global__ void four(const int *a, int *c) {
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], a + threadIdx.x + 1, 4); //~ oob-global proved
  __pipeline_commit();
  __pipeline_wait_prior(0);
  c[threadIdx.x] = s[threadIdx.x];
}
__global__ void sixteen(const int *a, int *c) {
  __shared__ int4 s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], a + 4 * threadIdx.x, 16); //~ oob-global proved
  __pipeline_commit();
  __pipeline_wait_prior(0);
  c[threadIdx.x] = s[threadIdx.x].x;
}
int main() {
  int *a, *c;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  four<<<1, 32>>>(a, c);
  sixteen<<<1, 32>>>(a, c);
  return cudaDeviceSynchronize();
}
