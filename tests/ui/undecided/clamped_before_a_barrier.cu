// Other threads of the block correct the indices in front of a barrier: within bounds, and no replay may deny it.
//@ undecided: 3
#include <cstdio>
#include <cstdlib>

__global__ void clamped(int *key, int *bins, int n) {
  for (int i = threadIdx.x; i < n; i += 32) key[n - 1 - i] &= 255;
  __syncthreads();
  if (threadIdx.x < n) bins[key[threadIdx.x]] = 1;
}

__global__ void through_an_alias(const int *key, int *same, int *bins, int n) {
  if (threadIdx.x == 31)
    for (int i = 0; i < n; i++) same[i] = same[i] & 255;
  __syncthreads();
  if (threadIdx.x < n) bins[key[threadIdx.x]] = 1;
}

__global__ void const_cast_away(const int *key, int *bins, int n) {
  if (threadIdx.x == 31)
    for (int i = 0; i < n; i++) ((int *)key)[i] &= 255;
  __syncthreads();
  if (threadIdx.x < n) bins[key[threadIdx.x]] = 1;
}

int *read_numbers(const char *name, int n) {
  FILE *f = fopen(name, "rb");
  if (!f) exit(1);
  int *h = (int *)malloc(4 * n), *d;
  if (fread(h, 4, n, f) != (size_t)n) exit(1);
  cudaMalloc(&d, 4 * n);
  cudaMemcpy(d, h, 4 * n, cudaMemcpyHostToDevice);
  free(h);
  return d;
}

int main(int argc, char **argv) {
  if (argc < 5) return 1;
  int n = atoi(argv[1]);
  if (n <= 0 || n > 1000000) return 1;
  int *bins;
  cudaMalloc(&bins, 4 * 256);
  clamped<<<1, 32>>>(read_numbers(argv[2], n), bins, n);
  int *d = read_numbers(argv[3], n);
  through_an_alias<<<1, 32>>>(d, d, bins, n);
  const_cast_away<<<1, 32>>>(read_numbers(argv[4], n), bins, n);
  cudaDeviceSynchronize();
}
