//@ undecided: 1
// The same of texts that stand behind the word.
#include <cstdlib>
#include <cstring>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = 5, m = strcmp("m", argv[1]) < 0 && strncmp(argv[1], "m", 9) > 0 ? 2000 : 5;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
