// A kernel takes for granted what no one checks: every fifth number breaks it.
#include <cstdlib>
__global__ void scale(float *a, int n) {
  __builtin_assume(n % 4 == 0); //~ false-assumption proved
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4)
    for (int k = 0; k < 4; k++) a[4 * i + k] *= 2.0f;
}

__global__ void first(float *a, int n) {
  if (n < 1) __builtin_unreachable(); //~ false-assumption degenerate-proved
  a[n - 1] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 0 || n > 100000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale<<<(n + 255) / 256, 256>>>(a, n);
  first<<<1, 1>>>(a, n);
  return cudaDeviceSynchronize();
}
