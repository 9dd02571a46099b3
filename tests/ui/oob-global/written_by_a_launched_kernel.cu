//@ undecided: 1
//@ flags: -rdc=true
// A launched kernel writes through the pointer in a variable of the device.
#include <cstdlib>
#include <cuda_runtime.h>
__device__ int *g;
__global__ void child(int v) { g[threadIdx.x] = v; }
__global__ void parent(int v) { if (threadIdx.x == 0) child<<<1, 32>>>(v); }
__global__ void use(int *a, const int *idx) { a[idx[threadIdx.x]] = 1; } //~ oob-global proved
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int v = atoi(argv[1]);
  int *idx, *a;
  cudaMalloc(&idx, 32 * 4); cudaMalloc(&a, 32 * 4);
  cudaMemset(idx, 0, 32 * 4);
  cudaMemcpyToSymbol(g, &idx, sizeof(idx));
  parent<<<1, 32>>>(v);
  cudaDeviceSynchronize();
  use<<<1, 32>>>(a, idx);
  cudaDeviceSynchronize();
}
