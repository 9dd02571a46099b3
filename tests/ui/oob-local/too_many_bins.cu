// The number of bins comes from the command line; the array has sixteen.
#include <cstdlib>

__global__ void histogram(int *out, int bins) {
  int count[16];
  for (int b = 0; b < bins; ++b) {
    count[b] = 0; //~ oob-local proved
  }
  out[threadIdx.x] = count[0];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int bins = atoi(argv[1]);
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  histogram<<<1, 32>>>(out, bins);
  return cudaDeviceSynchronize();
}
