// Indices from a file that the host looks through before the launch.
//@ decided
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void gather(const int *order, const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[order[i]];
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[2]);
  if (n < 1 || n > 100000) return 1;
  FILE *file = fopen(argv[1], "rb");
  if (!file) return 1;
  int *order = (int *)malloc(n * sizeof(int));
  if (fread(order, sizeof(int), n, file) != (size_t)n) return 1;
  fclose(file);
  for (int i = 0; i < n; i++) {
    if (order[i] < 0 || order[i] >= n) {
      fprintf(stderr, "index %d is out of range\n", i);
      return 1;
    }
  }
  int *d_order;
  float *from, *to;
  cudaMalloc(&d_order, n * sizeof(int));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(d_order, order, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(d_order, from, to, n);
  cudaDeviceSynchronize();
  return 0;
}
