//@ undecided: 0
// `error` ends the program, but for a status of 0: what is behind it is never launched.
#include <cstdlib>
#include <error.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = 2 * n;
  error(1, 0, "no");
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
