//@ undecided: 1
// The host takes the address of a device's function, which is none that a kernel can call: what it returns is not known; it is no null pointer.
#include <cuda_runtime.h>

typedef int (*op_t)(int);
__device__ int next(int x) { return x + 1; }

__global__ void k(int *a, op_t f) { a[f(0)] = 1; }
__global__ void l(int *a, op_t f) { a[f == nullptr ? 9 : 0] = next(1); }

int main() {
  int *a;
  op_t f = next;
  cudaMalloc(&a, 4 * sizeof(int));
  k<<<1, 1>>>(a, f);
  l<<<1, 1>>>(a, f);
  return cudaDeviceSynchronize();
}
