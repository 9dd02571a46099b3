//@ undecided: 1
//@ flags: -rdc=true
// A launched kernel writes through a constant pointer, and through an address that it is given as a number.
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ int *place;
__global__ void by_constant(int v) { place[threadIdx.x] = v; }
__global__ void launches_constant(int v) { by_constant<<<1, 32>>>(v); }
__global__ void use_constant(int *a, const int *index) { a[index[threadIdx.x]] = 1; } //~ oob-global proved

__global__ void by_number(unsigned long long at, int v) { ((int *)at)[threadIdx.x] = v; }
__global__ void launches_number(unsigned long long at, int v) { by_number<<<1, 32>>>(at, v); }
__global__ void use_number(int *a, const int *index) { a[index[threadIdx.x]] = 2; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int v = atoi(argv[1]);
  int *index, *other, *a;
  cudaMalloc(&index, 32 * sizeof(int));
  cudaMalloc(&other, 32 * sizeof(int));
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMemset(index, 0, 32 * sizeof(int));
  cudaMemset(other, 0, 32 * sizeof(int));
  cudaMemcpyToSymbol(place, &index, sizeof(index));
  launches_constant<<<1, 1>>>(v);
  use_constant<<<1, 32>>>(a, index);
  launches_number<<<1, 1>>>((unsigned long long)other, v);
  use_number<<<1, 32>>>(a, other);
  return cudaDeviceSynchronize();
}
