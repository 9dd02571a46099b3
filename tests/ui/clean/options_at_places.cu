//@ decided
// Words that must stand at fixed places.
#include <cstdlib>
#include <cstring>

__global__ void shift(float *a, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + by] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 5 || strcmp(argv[1], "-n") != 0 || strcmp(argv[3], "-b") != 0) return 1;
  int n = atoi(argv[2]), by = atoi(argv[4]);
  if (n < 1 || by < 0 || n > 1000000 || by > 1000000) return 1;
  float *a;
  cudaMalloc(&a, (n + by) * sizeof(float));
  shift<<<(n + 255) / 256, 256>>>(a, n, by);
  return cudaDeviceSynchronize();
}
