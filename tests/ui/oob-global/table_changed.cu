// A table of which the program sets one element itself: any of the others may be the one that is read.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>

static int sizes[4] = {8, 16, 4, 32};

__global__ void fill(int *a) { a[threadIdx.x] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int which = atoi(argv[1]);
  if (which < 0 || which > 3) return 1;
  sizes[0] = 8;
  int *a;
  cudaMalloc(&a, sizes[which] * sizeof(int));
  fill<<<1, 8>>>(a);
  return cudaDeviceSynchronize();
}
