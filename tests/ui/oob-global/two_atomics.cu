// Both atomic operations are one and the same place of a header: what replay shows of the first says nothing of the second.
#include <cstdlib>

__global__ void count(int *bins, const int *at, int n) {
  int i = threadIdx.x;
  if (i <= n) atomicAdd(&bins[i], 1); //~ oob-global proved
  if (i < n) atomicAdd(&bins[at[i]], 1);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 31) return 1;
  int *bins, *at;
  cudaMalloc(&bins, n * sizeof(int));
  cudaMalloc(&at, n * sizeof(int));
  cudaMemset(bins, 0, n * sizeof(int));
  cudaMemset(at, 0, n * sizeof(int));
  count<<<1, 32>>>(bins, at, n);
  return cudaDeviceSynchronize();
}
