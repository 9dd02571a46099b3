// One of two files is read: where the other stands is not known either.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  FILE *a = fopen("a", "r"), *b = fopen("b", "r"); int x;
  FILE *f = argc > 1 ? a : b;
  fread(&x, 4, 1, f);
  long n = 16 + ftell(a);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
