// One of several allocations that a loop keeps in an array is freed: it may be any of them.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void fill(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] = 1; }

int main(int argc, char **argv) {
  int many = atoi(argv[1]), n = atoi(argv[2]), which = atoi(argv[3]);
  if (many < 1 || many > 64 || which < 0 || which >= many) return 1;
  float *rows[64];
  for (int i = 0; i < many; i++) cudaMalloc(&rows[i], n * sizeof(float));
  cudaFree(rows[which]);
  for (int i = 0; i < many; i++) fill<<<1, 64>>>(rows[i], n); //~ use-after-free proved
  return cudaDeviceSynchronize();
}
