//@ decided
// Options that are told by a letter, with the value in the same argument or in the next one.
#include <cstdlib>

__global__ void shift(float *a, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + by] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = 64, by = 0;
  for (int i = 1; argv[i] != nullptr; i++) {
    if (argv[i][0] != '-') return 1;
    switch (argv[i][1]) {
      case 'n': n = atoi(argv[i] + 2); break;
      case 'b': by = atoi(argv[++i]); break;
      default: return 1;
    }
  }
  if (n < 1 || by < 0) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  shift<<<(n + 255) / 256, 256>>>(a, n, by);
  return cudaDeviceSynchronize();
}
