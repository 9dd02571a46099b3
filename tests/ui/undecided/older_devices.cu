//@ flags: -arch=sm_90
//@ undecided: 1
// Only a device that the program's code does not run on has so small a capability: no example, and no warning.
#include <cuda_runtime.h>

__global__ void fill(float *p, int n) {
  int i = threadIdx.x;
  if (i < n) p[i] = 1;
}

int main() {
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  float *p;
  cudaMalloc(&p, 64 * sizeof(float));
  fill<<<1, 128>>>(p, major < 9 ? 65 : 64);
  return cudaDeviceSynchronize();
}
