//@ decided
// Of two files one is read, of which it is not known which: a third one stands where it stood.
#include <cstdio>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  FILE *a = fopen("a", "r"), *b = fopen("b", "r"), *c = fopen("c", "r");
  int x;
  FILE *f = argc > 1 ? a : b;
  fread(&x, 4, 1, f);
  long n = 16 + ftell(c);
  int *d;
  cudaMalloc(&d, n * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
