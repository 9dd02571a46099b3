#include <cuda_runtime.h>

int room(int n);

__global__ void fill(float *row, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) row[i] = 0.0f;
}

int main() {
  int n = 1000;
  float *row;
  if (cudaMalloc(&row, room(n) * sizeof(float)) != cudaSuccess) return 1;
  fill<<<(n + 255) / 256, 256>>>(row, n);
  cudaFree(row);
  return 0;
}
