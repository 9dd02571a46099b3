// An instance of a template for a size of blocks that one argument chooses.
#include <cstdlib>
#include <cuda_runtime.h>

template <int BLOCK> __global__ void fill(float *p, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) p[i] = BLOCK; //~ oob-global proved
}

void run(int block, float *p, int n) {
  if (block == 16)
    fill<16><<<(n + 15) / 16, 16>>>(p, n);
  else
    fill<32><<<(n + 31) / 32, 32>>>(p, n);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  int block = argc > 2 ? 16 : 32;
  run(block, p, block == 16 ? n + 1 : n);
  return cudaDeviceSynchronize();
}
