// An assert that holds ends nothing.
//@ decided
#include <cassert>
__global__ void check(int n) { if (threadIdx.x == 0) assert(n > 63); }
__global__ void k(int *a) { a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  check<<<1, 32>>>(64);
  cudaDeviceSynchronize();
  k<<<1, 65>>>(a);
  return cudaDeviceSynchronize();
}
