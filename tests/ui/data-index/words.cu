// Indices that a loop reads from a text file.
//@ decided
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void gather(const int *order, const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[order[i]]; //~ data-index proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *file = fopen(argv[1], "r");
  if (!file) return 1;
  int n;
  if (fscanf(file, "%d", &n) != 1 || n < 1 || n > 100000) return 1;
  int *order = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) fscanf(file, "%d", &order[i]);
  fclose(file);
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
