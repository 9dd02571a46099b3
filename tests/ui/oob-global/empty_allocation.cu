// Only an empty array makes the write wrong.
#include <cstdlib>

__global__ void first(int *a) { a[0] = 1; } //~ oob-global degenerate-proved

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 0) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  first<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
