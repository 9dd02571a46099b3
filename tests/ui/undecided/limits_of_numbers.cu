//@ undecided: 1
// A text may be beyond the limits of a `long` and within those of an `unsigned long`.
#include <cstdlib>
#include <cstring>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  size_t u = strtoul(argv[1], nullptr, 10);
  long v = atol(argv[1]);
  int n = 5, m = u > 9223372036854775807ul && v > 0 ? 2000 : 5;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
