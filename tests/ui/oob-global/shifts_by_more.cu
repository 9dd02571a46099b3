//@ undecided: 2
// A shift by the width or more is not zero: x86 takes it modulo the width.
#include <cstdlib>

__global__ void left(int *d, int i) { d[i] = 1; }

__global__ void right(int *d, unsigned i) { d[i] = 1; }

__global__ void inside(int *d, int n) {
  unsigned m = 1u << n;
  if (m == 0) d[1 + threadIdx.x] = 1; //~ oob-global possible
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 32 || n > 60) return 1;
  int *d;
  cudaMalloc(&d, sizeof(int));
  left<<<1, 1>>>(d, 1 << n);
  right<<<1, 1>>>(d, 0x80000000u >> n);
  inside<<<1, 1>>>(d, n);
  return cudaDeviceSynchronize();
}
