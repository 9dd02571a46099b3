//@ undecided: 1
// A buffer is freed and allocated anew in some rounds: that a pointer and what was freed never meet is not found yet. Nothing is wrong here.
#include <cstdlib>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *grown;
  cudaMalloc(&grown, 32 * sizeof(int));
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) {
      cudaFree(grown);
      cudaMalloc(&grown, 32 * sizeof(int));
    }
    fill<<<1, 32>>>(grown);
  }
  cudaFree(grown);
  return cudaDeviceSynchronize();
}
