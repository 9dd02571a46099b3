//@ decided
// The twin of oob-global/missing_guard.cu with its guard.
#include <cstdlib>

__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 2.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
