#include <cstdlib>

#include "kernels.h"
#include "padded.h"

// The other program has a function of this name, too.
int length(int argc, char **argv) { return argc < 2 ? 1 : atoi(argv[1]); }

int main(int argc, char **argv) {
  int n = length(argc, argv);
  if (n < 1 || n > 1 << 20) return 1;
  float *row;
  cudaMalloc(&row, padded(n) * sizeof(float));
  launch_smooth(row, padded(n));
  cudaFree(row);
  return cudaDeviceSynchronize();
}
