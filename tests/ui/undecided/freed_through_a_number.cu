// What is freed through an address that went through arithmetic may be the buffer that is used.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  int n = 16, *x;
  cudaMalloc(&x, 64);
  uintptr_t key = atoi(argv[1]), at = (uintptr_t)x; at ^= key; at ^= key;
  cudaFree((void *)at);
  k<<<1, 16>>>(x, 16);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
