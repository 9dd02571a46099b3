// CUDA refuses a copy or fill whose rows are longer than the distance between two, and one of more rows than a slice has. A single row has no
// use for the distance, and the driver takes a distance of 0 for that of what is copied.
//@ decided
#include <cstdlib>
#include <cstring>
#include <cuda.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 2 || n > 1000) return 1;
  size_t row = n * sizeof(float);
  float *p, *host = (float *)malloc(row * n);
  cudaMalloc(&p, row * n);
  cudaMemcpy2D(p, row / 2, host, row, row, 4 * n, cudaMemcpyHostToDevice);
  cudaMemset2D(p, row / 2, 0, row, 4 * n);
  cudaMemset2D(p, 0, 0, row * n, 1);
  cudaMemset3D(make_cudaPitchedPtr(p, row, row, n), 0, make_cudaExtent(row, n + 1, 1));

  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = (CUdeviceptr)p;
  rows.WidthInBytes = row;
  rows.Height = n;
  cuMemcpy2D(&rows);
  scale<<<n, 256>>>(p, n * n);
}
