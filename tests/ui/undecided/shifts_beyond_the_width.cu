// What a shift beyond the width gives is not known: devices return 0 for a shift to the left, and x86 takes the distance modulo the width. So neither bound
// holds for it, and what is shifted to the right may be anything from 0 to the number itself.
//@ undecided: 3
#include <cstdlib>
__global__ void left(int *out, int n, int by) {
  unsigned power = 1u << by;
  out[min(power, (unsigned)n) - 1] = 1;  // on a device 0 for 32 and more: one below
  if (power < n) out[power] = 2;
}

__global__ void right(int *out, int n, int by) {
  int i = threadIdx.x;
  if (i < n && by >= 32) out[(i >> by) + n - 1] = 1;  // right where the device gives 0
  if (i < n && by >= 32) out[(n + i) >> by] = 1;      // the same
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), by = atoi(argv[2]);
  if (n < 1 || n > 1000) return 1;
  int *out;
  cudaMalloc(&out, n * sizeof(int));
  left<<<1, 1>>>(out, n, by);
  right<<<1, 256>>>(out, n, by);
  return cudaDeviceSynchronize();
}
