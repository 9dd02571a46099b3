// Ranges of Thrust and CUB that are longer than their memory, with operators of the library and of the program; and ranges that
// are as long as their memory.
#include <cub/device/device_scan.cuh>
#include <cstdlib>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
struct Square {
  __host__ __device__ float operator()(int x) const { return x * (float)x; }
};
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > 100000) return 1;
  int *a, *b, *c;
  float *f;
  void *storage = nullptr;
  size_t bytes = 0;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, (n + 1) * sizeof(int));
  cudaMalloc(&c, n * sizeof(int));
  cudaMalloc(&f, (n - 1) * sizeof(float));
  thrust::device_ptr<int> p(a), q(b);
  thrust::sort(thrust::device, a, a + n);
  thrust::sort(thrust::device, a + n, a + n);
  thrust::sort(thrust::device, a + 1, a + n + 1);  //~ memcpy-out-of-bounds proved
  thrust::exclusive_scan(p, p + n, q + 1);
  thrust::exclusive_scan(p, p + n, q + 2);  //~ memcpy-out-of-bounds proved
  thrust::fill(q, q + 2 * n, 3);  //~ memcpy-out-of-bounds proved
  thrust::transform(thrust::device, a, a + n - 1, f, Square());
  thrust::transform(thrust::device, a, a + n, f, Square());  //~ memcpy-out-of-bounds proved
  cub::DeviceScan::InclusiveSum(storage, bytes, a, c, n + 1);
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::InclusiveSum(storage, bytes, a, c, n);
  cub::DeviceScan::InclusiveSum(storage, bytes, b, c, n + 1);  //~ memcpy-out-of-bounds proved
  return cudaDeviceSynchronize();
}
