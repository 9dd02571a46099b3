//@ decided
// Allocated and freed in every round, swapped, freed once behind the loop, and one of several in each round.
#include <cstdlib>
#include <utility>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  for (int i = 0; i < n; i++) {
    int *a;
    cudaMalloc(&a, 32 * sizeof(int));
    fill<<<1, 32>>>(a);
    cudaFree(a);
  }

  int *from, *to;
  cudaMalloc(&from, 32 * sizeof(int));
  cudaMalloc(&to, 32 * sizeof(int));
  for (int i = 0; i < n; i++) {
    copy<<<1, 32>>>(to, from);
    std::swap(to, from);
  }
  cudaFree(from);
  cudaFree(to);

  int *of[3];
  for (int i = 0; i < 3; i++) cudaMalloc(&of[i], 32 * sizeof(int));
  fill<<<1, 32>>>(of[0]);
  for (int i = 0; i < 3; i++) cudaFree(of[i]);
  return cudaDeviceSynchronize();
}
