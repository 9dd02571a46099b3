//@ decided
// Each round allocates an array, uses it and frees it; the last one is used once more behind the loop.
#include <cstdlib>

struct Grid { float *cells; int n; };

__global__ void clear(float *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 0.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 1 || n > 100 || rounds < 1 || rounds > 50) return 1;
  Grid g;
  for (int i = 0; i < rounds; i++) {
    cudaMalloc(&g.cells, n * sizeof(float));
    clear<<<1, 128>>>(g.cells, n);
    cudaFree(g.cells);
  }
  clear<<<1, 128>>>(g.cells, n); //~ use-after-free proved
  return cudaDeviceSynchronize();
}
