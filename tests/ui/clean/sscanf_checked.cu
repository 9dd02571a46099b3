//@ decided
// What `sscanf` read is used only where it says so; `atoi` gives the same number then.
#include <cstdio>
#include <cstdlib>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = 5;
  if (sscanf(argv[1], "%d", &n) != 1) return 1;
  int m = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
