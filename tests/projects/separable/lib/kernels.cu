#include "kernels.h"
__device__ float twice(float x);
__global__ void scale_kernel(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = twice(1.0f);
}
void scale(float *a, int n) { scale_kernel<<<(n + 255) / 256, 256>>>(a, n); }
float *make(int n) { float *a; cudaMalloc(&a, n * sizeof(float)); return a; }
int finish(float *a) { int e = cudaDeviceSynchronize(); cudaFree(a); return e; }
