// A claim about a product that cannot wrap.
//@ decided
#include <cstdlib>

__global__ void mark(int *a, int n) {
  int i = n * n;
  __builtin_assume(i >= 0);
  if (i < 100) a[i] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *a;
  if (n < -1000 || n > 1000) return 1;
  cudaMalloc(&a, 100 * sizeof(int));
  mark<<<1, 1>>>(a, n);
  return cudaDeviceSynchronize();
}
