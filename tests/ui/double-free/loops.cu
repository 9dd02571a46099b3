// Frees inside loops: of one allocation in every round, and of one of several.
#include <cstdlib>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  for (int i = 0; i < n; i++) {
    fill<<<1, 32>>>(a); //~ use-after-free proved
    cudaFree(a); //~ double-free proved
  }

  int *of[3];
  cudaMalloc(&of[0], 32 * sizeof(int));
  cudaMalloc(&of[1], 32 * sizeof(int));
  of[2] = of[0];
  for (int i = 0; i < 3; i++) cudaFree(of[i]); //~ double-free proved
  return cudaDeviceSynchronize();
}
