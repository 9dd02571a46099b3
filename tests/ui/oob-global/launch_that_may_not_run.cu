// A launch with no blocks leaves everything as it was.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void zero(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = 0; }
__global__ void use(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global degenerate-proved

int main(int argc, char **argv) {
  int n = atoi(argv[1]), blocks = atoi(argv[2]);
  if (n < 1 || n > 64) return 1;
  int *h = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = n;
  int *p, *out;
  cudaMalloc(&p, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  zero<<<blocks, 64>>>(p, n);
  use<<<1, 64>>>(out, p, n);
  return cudaDeviceSynchronize();
}
