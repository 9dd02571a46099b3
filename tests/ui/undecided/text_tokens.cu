//@ undecided: 1
// `strtok` ends the first part of the argument, and the second one by the address that it kept.
#include <cstdlib>
#include <cstring>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]);
  strtok(argv[1], ",");
  strtok(nullptr, ",");
  int m = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
