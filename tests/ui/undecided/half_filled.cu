// Half of an array is filled: what the other half holds is not known.
//@ undecided: 1
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void spread(const int *pairs, const int *none, int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    to[pairs[i]] = i;
    to[none[i]] = i;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  int *pairs = (int *)malloc(n * sizeof(int)), *none = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n / 2; i++) pairs[i] = i / 2;
  memset(none, 0, n * sizeof(int));
  int *d_pairs, *d_none, *to;
  cudaMalloc(&d_pairs, n * sizeof(int));
  cudaMalloc(&d_none, n * sizeof(int));
  cudaMalloc(&to, ((n + 1) / 2) * sizeof(int));
  cudaMemcpy(d_pairs, pairs, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_none, none, n * sizeof(int), cudaMemcpyHostToDevice);
  spread<<<(n + 127) / 128, 128>>>(d_pairs, d_none, to, n);
  return cudaDeviceSynchronize();
}
