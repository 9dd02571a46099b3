// An argument that is read as `long` and kept in an `int`: what the program checks before holds of what it uses.
#include <cstdlib>

__global__ void below(int *a, int n) {
  int i = -1 - n / 2;
  a[i + threadIdx.x] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = strtol(argv[1], nullptr, 10);
  if (n % 3 != 0 || n < 1) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  below<<<1, 1>>>(a, n);
  return 0;
}
