// Two blocks that live at the same time have different addresses.
//@ decided
#include <cstdlib>
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
  int *a, *b, *c;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&b, 128 * sizeof(int));
  k<<<1, 128>>>(a, a == b ? 128 : 64);
  char *x = (char *)malloc(16), *y = (char *)malloc(16);
  int n = 64;
  if (x == y) n = 128;
  k<<<1, 128>>>(a, n);
  cudaFree(b);
  cudaMalloc(&c, 64 * sizeof(int));
  k<<<1, 128>>>(a, a == c ? 128 : 64);
  free(x);
  free(y);
  return cudaDeviceSynchronize();
}
