// A file whose name the program puts together: what it holds is no input that a witness could have.
//@ undecided: 1
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
  char name[256];
  snprintf(name, sizeof name, "%s.order", argv[1]);
  FILE *file = fopen(name, "rb");
  if (!file) return 1;
  int *order = (int *)malloc(n * sizeof(int));
  if (fread(order, sizeof(int), n, file) != (size_t)n) return 1;
  fclose(file);
  int *d_order;
  float *from, *to;
  cudaMalloc(&d_order, n * sizeof(int));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(d_order, order, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(d_order, from, to, n);
  return cudaDeviceSynchronize();
}
