//@ decided
// Where the text is no number, `sscanf` stores nothing.
#include <cstdio>
#include <cstdlib>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int m = 2000, n = atoi(argv[2]);
  sscanf(argv[1], "%d", &m);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
