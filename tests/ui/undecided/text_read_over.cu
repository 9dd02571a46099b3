//@ undecided: 1
// The program reads over its argument.
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]);
  if (read(0, argv[1], 2) < 1) return 1;
  int m = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
