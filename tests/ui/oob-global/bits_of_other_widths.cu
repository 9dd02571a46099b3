// Counts of bits of 32 and of 64 bits differ, and so do reversals, shifts through two numbers, and orders of bytes.
#include <cstdlib>

__global__ void zeros(int *out, unsigned n) {
  unsigned a = __builtin_clz(n), b = __builtin_clzll((unsigned long long)n);
  if (a != b) out[b - a + 68] = 1; //~ oob-global proved
}

__global__ void reversed(int *out, unsigned n) {
  unsigned long long a = __builtin_bitreverse32(n), b = __builtin_bitreverse64(n);
  if (a != b && threadIdx.x == 0) out[100] = 1; //~ oob-global proved
}

__global__ void swapped(int *out, unsigned n) {
  unsigned long long a = __builtin_bswap32(n), b = __builtin_bswap64(n);
  if (a != b && threadIdx.x == 0) out[100] = 1; //~ oob-global proved
}

__global__ void leading(int *out, int n) {
  if (n > 0) {
    int a = __clz(n), b = __clzll((long long)n);
    if (a != b && threadIdx.x == 0) out[100] = 1; //~ oob-global proved
  }
}

__global__ void first(int *out, int n) {
  if (n == 0 && __ffs(n) == __ffsll((long long)n) && __popc(n) == __popcll((long long)n)) out[100 + threadIdx.x] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  int *out;
  cudaMalloc(&out, 100 * sizeof(int));
  zeros<<<1, 1>>>(out, n);
  reversed<<<1, 1>>>(out, n);
  swapped<<<1, 1>>>(out, n);
  leading<<<1, 1>>>(out, n);
  first<<<1, 1>>>(out, n);
  return cudaDeviceSynchronize();
}
