//@ flags: -rdc=true
//@ undecided: 1
// A launch into `cudaStreamTailLaunch` runs behind the launching grid and all else that it launches (CUDA Programming Guide 13.0, 4.18).
#include <cuda_runtime.h>

__global__ void use(int *a, const int *at) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[at[i]] = 1;
}

__global__ void fill(int *at) { at[threadIdx.x] = threadIdx.x; }

__global__ void parent(int *a, int *at) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) use<<<8, 32, 0, cudaStreamTailLaunch>>>(a, at);
  fill<<<1, 32>>>(at + blockIdx.x * 32);
}

int main() {
  int *a, *at;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&at, 8 * 32 * sizeof(int));
  cudaMemset(at, 0x7f, 8 * 32 * sizeof(int));
  parent<<<8, 32>>>(a, at);
  return cudaDeviceSynchronize();
}
