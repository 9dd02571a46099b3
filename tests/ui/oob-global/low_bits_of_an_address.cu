// A size depends on low bits of addresses: known for memory of the device, and unknown for an array of characters. Another one depends on which of two blocks
// lies first.
//@ undecided: 1
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void fill(float *a, float *b, float *c, float *d, float *e, int n, int m, int k, int o, int p) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;  //~ oob-global possible
  if (i < m) b[i] = 1;
  if (i < o) d[i] = 1;
  if (i < p) e[i] = 1;  //~ oob-global proved
  if (i < k) c[i] = 1;  //~ oob-global proved
}

int main() {
  char bytes[3];
  bytes[0] = 1;
  float *a, *b, *c, *d, *e;
  cudaMalloc(&a, 10 * sizeof(float));
  cudaMalloc(&b, 10 * sizeof(float));
  cudaMalloc(&c, 10 * sizeof(float));
  cudaMalloc(&d, 10 * sizeof(float));
  cudaMalloc(&e, 10 * sizeof(float));
  // An array of characters may begin at any address.
  int n = (uintptr_t)&bytes[0] & 1 ? 10 : 11;
  // Memory of the device begins at a multiple of 256 bytes.
  int m = ((uintptr_t)b & 255) == 0 ? 10 : 11;
  int k = ((uintptr_t)c & 255) == 0 ? 11 : 10;
  char *x = (char *)malloc(8), *y = (char *)malloc(8);
  int o = x < y ? 11 : 10;
  void *q;
  if (posix_memalign(&q, 64, 64)) return 1;
  int p = ((uintptr_t)q & 63) == 0 ? 11 : 10;
  fill<<<1, 32>>>(a, b, c, d, e, n, m, k, o, p);
  cudaDeviceSynchronize();
  return 0;
}
