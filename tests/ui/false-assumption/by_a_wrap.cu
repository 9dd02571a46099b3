// A claim that holds of whole numbers, but not where the multiplication wraps; the access is safe only by it.
#include <cstdlib>

__global__ void mark(int *a, int n) {
  int i = n * n;
  __builtin_assume(i >= 0); //~ false-assumption proved
  if (i < 100) a[i] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  mark<<<1, 1>>>(a, atoi(argv[1]));
  return cudaDeviceSynchronize();
}
