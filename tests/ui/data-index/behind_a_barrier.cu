// Indices from a file behind barriers: other threads decide what a thread reads there, so that whole blocks are run. In
// undecided/clamped_before_a_barrier.cu other threads correct the indices in front of the barrier.
#include <cstdio>
#include <cstdlib>

__global__ void only_read(const int *key, int *bins, int n) {
  __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) atomicAdd(&bins[key[i]], 1); //~ data-index proved
}

__global__ void staged(const int *key, int *bins, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x < n ? key[threadIdx.x] : 0;
  __syncthreads();
  bins[tile[63 - threadIdx.x]] = 1; //~ data-index proved
}

__global__ void by_warp(int *key, int *bins, int n) {
  if (threadIdx.x < n) key[threadIdx.x] += 1;
  __syncwarp();
  if (threadIdx.x + 1 < n) bins[key[threadIdx.x + 1]] = 1; //~ data-index proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[2]);
  if (n <= 0 || n > 1000000) return 1;
  FILE *f = fopen(argv[1], "rb");
  if (!f) return 1;
  int *h = (int *)malloc(4 * n), *d, *bins;
  if (fread(h, 4, n, f) != (size_t)n) return 1;
  cudaMalloc(&d, 4 * n);
  cudaMalloc(&bins, 4 * 256);
  cudaMemcpy(d, h, 4 * n, cudaMemcpyHostToDevice);
  only_read<<<(n + 127) / 128, 128>>>(d, bins, n);
  staged<<<1, 64>>>(d, bins, n);
  by_warp<<<1, 32>>>(d, bins, n);
  cudaDeviceSynchronize();
}
