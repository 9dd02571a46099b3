// A kernel ends all work for the device: what would be out of bounds is never launched.
//@ undecided: 1
#include <cassert>
__global__ void check(int n) { if (threadIdx.x == 0) __trap(); }
__global__ void k(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  check<<<1, 32>>>(64);
  cudaDeviceSynchronize();
  k<<<1, 65>>>(a);
  return cudaDeviceSynchronize();
}
