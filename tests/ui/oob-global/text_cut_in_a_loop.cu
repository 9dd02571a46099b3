//@ decided
// The letter is written by another name of the argument: its number is not known where it is written.
#include <cstdlib>
#include <cstring>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]);
  for (int i = 1; i < argc; i++) argv[i][0] = '9';
  int m = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
