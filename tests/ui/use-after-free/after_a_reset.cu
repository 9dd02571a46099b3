// All memory of a device ends with its context: `cudaDeviceReset`.
#include <cstdio>
__device__ int scale = 3;
__global__ void fill(int *a) { a[threadIdx.x] = scale; }

int main() {
  int *a, *pinned, *managed, host[32];
  cudaMalloc((void **)&a, 32 * sizeof(int));
  cudaMallocHost((void **)&pinned, 32 * sizeof(int));
  cudaMallocManaged(&managed, 32 * sizeof(int));
  fill<<<1, 32>>>(a);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  cudaDeviceReset();
  fill<<<1, 32>>>(a); //~ use-after-free proved
  pinned[0] = 1;      //~ use-after-free proved
  managed[0] = 1;     //~ use-after-free proved
  printf("%d\n", host[0]);
  return 0;
}
