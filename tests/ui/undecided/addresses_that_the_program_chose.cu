// Memory that the program asked for at an address of its own.
#include <cuda.h>
__global__ void reads(int *a) { a[threadIdx.x] = *(int *)0x700000000000; }
int main() {
  CUdeviceptr at;
  cuMemAddressReserve(&at, 1 << 21, 0, 0x700000000000, 0);
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  reads<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
