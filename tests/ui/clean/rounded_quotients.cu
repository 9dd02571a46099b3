//@ decided
// Sizes and places by floating point, where rounding does not show or stays within bounds.
#include <cmath>
#include <cstdlib>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

__global__ void exact(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

__global__ void halves(float *a, int n) {
  int i = (int)(threadIdx.x * 0.5f);
  if (threadIdx.x < n) a[i] = 1.0f;
}

__global__ void thirds(float *a, int n) {
  int i = (int)(threadIdx.x / 3.0);
  if (threadIdx.x < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(int)ceil((double)n / 256), 256>>>(a, n);
  fill<<<(unsigned)ceilf(n / 256.0f), 256>>>(a, n);
  int blocks = (int)ceil(n / 48.0);
  cudaMalloc(&b, blocks * 48 * sizeof(float));
  exact<<<blocks, 48>>>(b);
  int half = (int)(n * 0.5);
  cudaMalloc(&c, (half + 1) * sizeof(float));
  fill<<<(half + 255) / 256, 256>>>(c, half);
  halves<<<1, 256>>>(a, n);
  thirds<<<1, 256>>>(a, n);
  int side = (int)sqrt((double)n);
  fill<<<side, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
