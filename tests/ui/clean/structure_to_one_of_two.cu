//@ decided
// A structure in registers is stored to one of two places; a third one keeps what it held.
#include <cuda_runtime.h>
typedef long v2 __attribute__((vector_size(16)));
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  v2 a = {8, 64}, b = {16, 16}, c = {12, 12};
  v2 *q = argc > 1 ? &a : &b;
  v2 x = {16, 16};
  *q = x;
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, c[0]);
  cudaDeviceSynchronize();
}
