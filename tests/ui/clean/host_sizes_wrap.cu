//@ flags: -std=c++17
// Sizes with which the host's own arithmetic wraps were never meant, also where something else goes below zero with them.
#include <cstdlib>

__global__ void rows(char *m, unsigned int n) {
  unsigned int row = blockIdx.x;
  for (unsigned int j = 0; j < n - 1; j++) m[row * n + j + 1] = m[row * n + j];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  unsigned int n = atoi(argv[1]);
  if (n < 2) return 1;
  unsigned int elements = n * n;
  char *m;
  cudaMalloc(&m, elements);
  rows<<<n, 1>>>(m, n);
  cudaFree(m);
}
