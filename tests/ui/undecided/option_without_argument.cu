//@ undecided: 1
// An option without an argument: `optarg` is null there, and the last element may be written.
#include <cstdlib>
#include <unistd.h>
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  int opt, extra = 0;
  while ((opt = getopt(argc, argv, "v")) != -1) {
    if (opt == 'v' && optarg == nullptr) extra = 1;
  }
  float *a;
  cudaMalloc(&a, 128 * sizeof(float));
  fill<<<2, 128>>>(a, 128 + extra);
  return cudaDeviceSynchronize();
}
