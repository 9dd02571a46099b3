// The allocation and the kernel lie in different sources of one program.
//@ snapshot
//@ with: part_kernel.cu
#include <cstdlib>

void launch_clear(int *data, int blocks);

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  int *data;
  cudaMalloc(&data, n * sizeof(int));
  launch_clear(data, (n + 31) / 32);
  return cudaDeviceSynchronize();
}
