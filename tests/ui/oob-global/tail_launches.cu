//@ flags: -rdc=true
// A launch into `cudaStreamTailLaunch` uses what a later launch of the same grid wrote (CUDA Programming Guide 13.0, 4.18).
#include <cuda_runtime.h>

__global__ void use(int *a, const int *at) {
  a[at[threadIdx.x]] = 1; //~ oob-global proved
}

__global__ void fill(int *at) { at[threadIdx.x] = threadIdx.x + 1; }

__global__ void parent(int *a, int *at) {
  use<<<1, 32, 0, cudaStreamTailLaunch>>>(a, at);
  fill<<<1, 32>>>(at);
}

int main() {
  int *a, *at;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&at, 32 * sizeof(int));
  cudaMemset(at, 0, 32 * sizeof(int));
  parent<<<1, 1>>>(a, at);
  return cudaDeviceSynchronize();
}
