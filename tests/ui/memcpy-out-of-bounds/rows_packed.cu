// Rows without a distance: a single one of a fill, and those of a copy by the driver, which follow one another.
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
  cudaMemset2D(p, 0, 0, row * n + 1, 1);  //~ memcpy-out-of-bounds proved

  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = (CUdeviceptr)p;
  rows.WidthInBytes = row;
  rows.Height = n + 1;
  cuMemcpy2D(&rows);  //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
  scale<<<n, 256>>>(p, n * n);
}
