//@ decided
// Shifts by numbers that are surely below the width, and strides made by them.
#include <cstdlib>

__global__ void strides(int *a, int n) {
  for (int k = 0; k < 8; k++) {
    int i = threadIdx.x << k;
    if (i < n) a[i] = 1;
  }
  for (int s = 1 << 7; s > 0; s >>= 1) if (threadIdx.x < s && threadIdx.x + s < n) a[threadIdx.x] += a[threadIdx.x + s];
}

__global__ void powers(int *a, int level) {
  int width = 1 << level;
  if (threadIdx.x < width) a[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int level = atoi(argv[1]);
  if (level < 0 || level > 10) return 1;
  int *a, *b;
  cudaMalloc(&a, 1000 * sizeof(int));
  cudaMalloc(&b, (1 << level) * sizeof(int));
  strides<<<1, 256>>>(a, 1000);
  powers<<<1, 1024>>>(b, level);
  return cudaDeviceSynchronize();
}
