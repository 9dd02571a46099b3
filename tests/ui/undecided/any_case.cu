//@ undecided: 1
// Whether a word is met in small letters alone: that it is met in any is not that it is met as it stands.
#include <cstdlib>
#include <cstring>
#include <strings.h>

__global__ void shift(float *a, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + by] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[2]), by = 0;
  if (strcasecmp(argv[1], "-N") == 0 && strcmp(argv[1], "-N") != 0) by = 1;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  shift<<<(n + 255) / 256, 256>>>(a, n, by);
  return cudaDeviceSynchronize();
}
