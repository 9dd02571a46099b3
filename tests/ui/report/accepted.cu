// Two of three findings are accepted by comments; a comment for another rule accepts nothing.
//@ snapshot
//@ options: -v
#include <cstdlib>

__global__ void touch(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 1; // scuba: allow(oob-global) the allocator pads to whole blocks
  // scuba: allow(all) the same padding
  a[i + 1] = 1;
  // scuba: allow(oob-shared) of no use here
  a[i + 2] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  touch<<<(n + 63) / 64, 64>>>(a);
  return cudaDeviceSynchronize();
}
