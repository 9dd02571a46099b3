//@ undecided: 1
// A unit in C, which nvcc does not compile, changes a variable of this one.
#include <cstdio>
int size = 16;
extern "C" void configure(void);
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main() {
  configure();
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, size);
  cudaDeviceSynchronize();
}
