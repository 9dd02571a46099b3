// A library that is given the address of a variable of the device may write it.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
__device__ int dev_n = 16;
extern "C" void library_fills(int *p);
int main() {
  int n, *p;
  cudaMemcpyToSymbol(dev_n, &(n = 16), 4);
  cudaGetSymbolAddress((void **)&p, dev_n);
  library_fills(p);
  cudaMemcpyFromSymbol(&n, dev_n, 4);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
