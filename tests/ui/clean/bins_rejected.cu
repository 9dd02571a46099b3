//@ decided
// The twin of oob-local/too_many_bins.cu: the host rejects what does not fit.
#include <cstdio>
#include <cstdlib>

__global__ void histogram(int *out, int bins) {
  int count[16];
  for (int b = 0; b < bins; ++b) {
    count[b] = 0;
  }
  out[threadIdx.x] = count[0];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int bins = atoi(argv[1]);
  if (bins > 16) {
    fprintf(stderr, "at most 16 bins\n");
    return 1;
  }
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  histogram<<<1, 32>>>(out, bins);
  return cudaDeviceSynchronize();
}
