// A comparator throws through a function of the C library.
//@ undecided: 1
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <exception>
#include <vector>
#include <memory>
__global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = 1.0f; }
static void go(int size, int n) { float *o; cudaMalloc(&o, size * sizeof(float)); k<<<(n + 255) / 256, 256>>>(o, n); cudaDeviceSynchronize(); cudaFree(o); }
int extra = 0;
static int cmp(const void *a, const void *b) { throw 1; }
int main(int argc, char **argv) {
  int a[3] = {3, 2, 1};
  try { qsort(a, argc, 4, cmp); } catch (...) { extra = 1000; }
  go(100, 100 + extra);
}
