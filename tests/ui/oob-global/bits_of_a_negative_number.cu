// Bitwise operations on a negative `int`, read as an `int` again: two's complement, no wrap that could be excused.
#include <cstdlib>

__global__ void before(char *a, int n) {
  a[n] = 1;  //~ oob-global proved
}

__global__ void masked(int *a, int n) {
  int i = (n & ~5) | 2;
  if (i < 16) a[i] = 1;  //~ oob-global proved
}

__global__ void checked(int *a, int n) {
  int i = (n & ~5) | 2;
  if (i >= 0 && i < 16) a[i] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  char *a;
  int *b;
  cudaMalloc(&a, 16);
  cudaMalloc(&b, 16 * sizeof(int));
  if ((n ^ 2) < 0) before<<<1, 1>>>(a, n);
  masked<<<1, 1>>>(b, n);
  checked<<<1, 1>>>(b, n);
  return cudaDeviceSynchronize();
}
