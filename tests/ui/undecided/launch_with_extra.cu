// Arguments that the driver is given in one buffer are not followed: nothing is said of what the kernel accesses.
//@ undecided: 1
#include <cuda.h>

__global__ void fill(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = 1.0f;
}

int main() {
  float *p;
  cudaMalloc(&p, 4000);
  cudaFunction_t f;
  cudaGetFuncBySymbol(&f, (const void *)fill);
  struct {
    float *p;
    int n;
  } arguments{p, 1000};
  size_t size = sizeof arguments;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  cuLaunchKernel((CUfunction)f, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra);
}
