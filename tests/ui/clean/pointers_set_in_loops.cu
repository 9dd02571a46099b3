//@ decided
// Pointers in structures that a loop sets for the first time: by an allocation, by a choice, by a copy to the device, by a kernel.
#include <cstdlib>

struct Grid { float *cells; int n; };

__global__ void clear(float *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 0.0f;
}

__global__ void clear_grid(Grid *g, int n) {
  int i = threadIdx.x;
  if (i < n) g->cells[i] = 0.0f;
}

__global__ void attach(Grid *g, float *cells) { g->cells = cells; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 1 || n > 100 || rounds < 1 || rounds > 50) return 1;
  Grid anew, chosen, given, *copied, *attached;

  for (int i = 0; i < rounds; i++) cudaMalloc(&anew.cells, (n + i) * sizeof(float));
  clear<<<1, 128>>>(anew.cells, n);

  float *even, *odd;
  cudaMalloc(&even, n * sizeof(float));
  cudaMalloc(&odd, (n + 1) * sizeof(float));
  for (int i = 0; i < rounds; i++) {
    if (i & 1) chosen.cells = odd; else chosen.cells = even;
    clear<<<1, 128>>>(chosen.cells, n);
  }
  clear<<<1, 128>>>(chosen.cells, n);

  cudaMalloc(&given.cells, n * sizeof(float));
  cudaMalloc(&copied, sizeof(Grid));
  cudaMalloc(&attached, sizeof(Grid));
  for (int i = 0; i < rounds; i++) {
    cudaMemcpy(&copied->cells, &given.cells, sizeof(float *), cudaMemcpyHostToDevice);
    attach<<<1, 1>>>(attached, given.cells);
  }
  clear_grid<<<1, 128>>>(copied, n);
  clear_grid<<<1, 128>>>(attached, n);
  return cudaDeviceSynchronize();
}
