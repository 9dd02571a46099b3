// Digits of powers of two: a mask that is one bit too wide, a shift that is one too small, a place that is off by one.
#include <cstdlib>

__global__ void tiles(float *a) {
  int lane = threadIdx.x & 63, warp = threadIdx.x >> 5;
  a[(blockIdx.x * 32 + lane) * 8 + warp] = 1; //~ oob-global proved
}

__global__ void three_digits(float *a, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n << 9) return;
  unsigned x = i & 15, y = (i >> 4) & 31, z = i >> 8;
  a[(x << 5 | y) * n + z] = 1; //~ oob-global proved
}

__global__ void mixed(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * 24) return;
  int x = i & 7, y = (i >> 3) % 4, z = i / 24;
  a[(z * 8 + x) * 3 + y] = 1; //~ oob-global proved
}

__global__ void reversed(float *a) {
  int i = threadIdx.x;
  int x = i & 3, y = i >> 2 & 3, z = (i >> 4) + 1;
  a[(x << 4) + (y << 2) + z] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  float *a, *b, *c, *d;
  cudaMalloc(&a, n * 256 * sizeof(float));
  cudaMalloc(&b, n * 512 * sizeof(float));
  cudaMalloc(&c, n * 24 * sizeof(float));
  cudaMalloc(&d, 64 * sizeof(float));
  tiles<<<n, 256>>>(a);
  three_digits<<<(n * 512 + 127) / 128, 128>>>(b, n);
  mixed<<<(n * 24 + 127) / 128, 128>>>(c, n);
  reversed<<<1, 64>>>(d);
  return cudaDeviceSynchronize();
}
