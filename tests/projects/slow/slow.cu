#include <cstdlib>
#include <cuda_runtime.h>

#define X4(at) X(at) X(at + 1) X(at + 2) X(at + 3)
#define X32(at) X4(at) X4(at + 4) X4(at + 8) X4(at + 12) X4(at + 16) X4(at + 20) X4(at + 24) X4(at + 28)

// Each sum is another place, and each product may wrap.
__global__ void columns(double *table, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
#define X(at) table[n * (at) + i] += table[n * (at + 32) + i];
    X32(0)
#undef X
  }
}

int main(int argc, char **argv) {
  int given = argc > 1 ? atoi(argv[1]) : 1;
  if (given < 1) return 1;
  unsigned n = given;
  double *table;
  size_t count = size_t(n) * 64;
  cudaMalloc(&table, count * sizeof(double));
  columns<<<(n + 255) / 256, 256>>>(table, n);
  cudaDeviceSynchronize();
}
