// What index arrays hold is decided by the program: loops fill them, and the kernel stores only numbers that it read there.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void shorten(int *parent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int root = i;
    while (root > parent[root]) root = parent[root];
    atomicExch(&parent[i], root);
  }
}

__global__ void gather(const int *order, const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[order[i]];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  int *parent = (int *)malloc(n * sizeof(int)), *order = (int *)malloc(n * sizeof(int));
  parent[0] = 0;
  for (int i = 1; i < n; i++) parent[i] = rand() % n;
  for (int i = 0; i < n; i++) order[i] = n - 1 - i;
  int *d_parent, *d_order;
  float *from, *to;
  cudaMalloc(&d_parent, n * sizeof(int));
  cudaMalloc(&d_order, n * sizeof(int));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(d_parent, parent, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_order, order, n * sizeof(int), cudaMemcpyHostToDevice);
  shorten<<<(n + 127) / 128, 128>>>(d_parent, n);
  gather<<<(n + 127) / 128, 128>>>(d_order, from, to, n);
  cudaDeviceSynchronize();
  return 0;
}
