//@ decided
// Sizes that loops divide, rounding up or down to a least size: each level has its own buffer of just as many elements.
#include <algorithm>
#include <cstdlib>

__global__ void up(float *a, int n, int levels) {
  for (int l = 0; l < levels; l++) n = (n + 1) / 2;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

__global__ void shifted(float *a, int n, int levels) {
  for (int l = 0; l < levels; l++) n = (n + 1) >> 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

__global__ void by_four(float *a, unsigned n, int levels) {
  for (int l = 0; l < levels; l++) n = (n + 3) / 4;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

__global__ void mip(float *a, int n, int levels) {
  for (int l = 0; l < levels; l++) n = n > 1 ? n / 2 : 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

__global__ void folded(float *a, int n) {
  int i = threadIdx.x;
  for (int m = n; m > 1; m = (m + 1) / 2) {
    int half = (m + 1) / 2;
    if (i + half < m) a[i] += a[i + half];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), levels = atoi(argv[2]);
  if (n < 1 || n > 1000000 || levels < 0 || levels > 20) return 1;
  int halves = n, least = n;
  unsigned quarters = n;
  for (int l = 0; l < levels; l++) halves = (halves + 1) / 2;
  for (int l = 0; l < levels; l++) quarters = (quarters + 3) / 4;
  for (int l = 0; l < levels; l++) least = std::max(1, least / 2);
  float *a, *b, *c, *d;
  cudaMalloc(&a, halves * sizeof(float));
  cudaMalloc(&b, quarters * sizeof(float));
  cudaMalloc(&c, least * sizeof(float));
  cudaMalloc(&d, n * sizeof(float));
  up<<<(n + 255) / 256, 256>>>(a, n, levels);
  shifted<<<(n + 255) / 256, 256>>>(a, n, levels);
  by_four<<<(n + 255) / 256, 256>>>(b, n, levels);
  mip<<<(n + 255) / 256, 256>>>(c, n, levels);
  folded<<<1, 256>>>(d, n);
  return cudaDeviceSynchronize();
}
