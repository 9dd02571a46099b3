//@ decided
// Freed on one branch and used only on the other.
#include <cstdlib>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), keep = atoi(argv[2]);
  if (n < 1 || n > 1024) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  bool freed = false;
  if (keep == 7) { cudaFree(a); freed = true; }
  if (!freed) fill<<<1, n>>>(a, n);
  if (keep != 7) cudaFree(a);
  return cudaDeviceSynchronize();
}
