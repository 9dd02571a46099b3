// The twin of option.cu: both sizes are checked.
#include <cstdlib>
#include <unistd.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

__global__ void count(int *a, int repeats) {
  for (int r = 0; r < repeats; ++r) a[r] = r;
}

int main(int argc, char **argv) {
  int n = 256, repeats = 1, opt;
  while ((opt = getopt(argc, argv, "n:r:")) != -1) {
    if (opt == 'n') n = atoi(optarg);
    else if (opt == 'r') repeats = atoi(optarg);
    else return 1;
  }
  if (n < 1 || repeats > 16) return 1;
  float *a;
  int *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, 16 * sizeof(int));
  fill<<<(n + 127) / 128, 128>>>(a, n);
  count<<<1, 1>>>(b, repeats);
  return cudaDeviceSynchronize();
}
