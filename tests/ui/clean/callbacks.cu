//@ decided
// Libraries that are given functions: an order, kernels to ask about.
#include <cstdlib>

__global__ void some(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static int order(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

int main() {
  int *a, blocks, least, v[4] = {3, 1, 2, 0};
  cudaMalloc(&a, 32 * sizeof(int));
  qsort(v, 4, sizeof(int), order);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, some);
  cudaFuncSetAttribute(some, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  cudaFuncSetCacheConfig(some, cudaFuncCachePreferL1);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, some, 64, 0);
  cudaOccupancyMaxPotentialBlockSize(&least, &blocks, some, 0, 0);
  some<<<1, 64>>>(a, 32);
  return cudaDeviceSynchronize();
}
