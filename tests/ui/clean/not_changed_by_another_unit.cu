//@ decided
// What no other unit knows by name stays, and no function of the C library changes what it is not given.
#include <cstdio>
#include <unistd.h>
static int size = 16;
int known = 16;
extern "C" void configure(void);
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main() {
  configure();
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, size);
  known = 16;
  sysconf(_SC_PAGESIZE);
  k<<<1, 128>>>(d, known);
  cudaDeviceSynchronize();
}
