//@ decided
// A pointer into an argument is not its start: neither are the lengths equal.
#include <cstdlib>
#include <cstring>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[2]);
  char *p = argv[1] + 1;
  int m = strlen(p) == strlen(argv[1]) ? 1 : 2000;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
