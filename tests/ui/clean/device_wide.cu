//@ decided
// Algorithms of Thrust and CUB between launches: they touch their ranges alone, and the kernels in their bodies are not the program's.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cstdlib>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
__global__ void k(int *a, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) a[i] = i;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  thrust::sort(thrust::device, a, a + n);
  thrust::device_ptr<int> from(a), to(b);
  thrust::exclusive_scan(from, from + n, to);
  thrust::fill(thrust::device, a, a + n, thrust::reduce(from, from + n));
  void *storage = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(storage, bytes, a, b, n);
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::InclusiveSum(storage, bytes, a, b, n);
  k<<<(n + 255) / 256, 256>>>(b, n);
  return cudaDeviceSynchronize();
}
