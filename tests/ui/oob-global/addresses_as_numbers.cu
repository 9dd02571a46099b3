// Stores through addresses that were put together from numbers.
#include <cstdint>

__global__ void tagged(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void mixed(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  int by_tag = 8, by_mix = 8;
  uintptr_t tag = (uintptr_t)&by_tag | 1;
  *(int *)(tag & ~(uintptr_t)1) = 64;
  uintptr_t mix = (uintptr_t)&by_mix ^ 0x5a;
  *(int *)(mix ^ 0x5a) = 64;
  tagged<<<1, 64>>>(a, by_tag);
  mixed<<<1, 64>>>(a, by_mix);
  return cudaDeviceSynchronize();
}
