// The current device is the one that was set: sizes are right.
//@ undecided: 1
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <exception>
#include <vector>
#include <memory>
__global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = 1.0f; }
static void go(int size, int n) { float *o; cudaMalloc(&o, size * sizeof(float)); k<<<(n + 255) / 256, 256>>>(o, n); cudaDeviceSynchronize(); cudaFree(o); }
int main(int argc, char **argv) {
  if (cudaSetDevice(1) != cudaSuccess) return 1;
  int d = 0;
  if (cudaGetDevice(&d) != cudaSuccess) return 1;
  go(100, d == 1 ? 50 : 1000);
}
