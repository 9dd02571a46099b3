// What a header that is nobody's own does is told where it is called, with where that leads; two instances of the kernel are one place.
//@ flags: -isystem vendored
//@ decided
//@ snapshot
#include <vectors.h>
template <int By> __global__ void instances(int *a, int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) raise<By>(a + i); //~ oob-global proved
  each(b, n + 1, i, blockDim.x); //~ oob-global proved
}
int main(int argc, char **argv) {
  int n = argc;
  int *a, *b;
  if (n < 1 || n > 8 || cudaMalloc(&a, n * sizeof(int)) || cudaMalloc(&b, n * sizeof(int))) return 1;
  instances<1><<<1, 32>>>(a, b, n);
  instances<2><<<1, 32>>>(a, b, n);
  return cudaDeviceSynchronize();
}
