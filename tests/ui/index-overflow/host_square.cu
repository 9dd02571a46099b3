//@ flags: -std=c++17
// A square that wraps on the host: the size is too small, and the row starts wrap as well. One finding, for the size.
#include <cstdlib>

__global__ void rows(char *m, unsigned int n) {
  unsigned int row = blockIdx.x;
  for (unsigned int j = 0; j < n - 1; j++) m[row * n + j + 1] = m[row * n + j]; //~ index-overflow proved
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
