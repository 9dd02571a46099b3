//@ decided
// A pointer in a structure that a loop sets for the first time, to the smaller of two arrays in some rounds.
#include <cstdlib>

struct Grid { float *cells; int n; };

__global__ void clear(float *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 0.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 1 || n > 100 || rounds < 1 || rounds > 50) return 1;
  Grid chosen;
  float *even, *odd;
  cudaMalloc(&even, (n + 1) * sizeof(float));
  cudaMalloc(&odd, n * sizeof(float));
  for (int i = 0; i < rounds; i++) { if (i & 1) chosen.cells = odd; else chosen.cells = even; }
  clear<<<1, 128>>>(chosen.cells, n + 1);
  return cudaDeviceSynchronize();
}
