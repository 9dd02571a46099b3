//@ decided
// With a status of 0 `error` comes back, and so does a signal that is ignored.
#include <csignal>
#include <cstdlib>
#include <error.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = 2 * n;
  if (n < 1) error(n, 0, "no");
  error(0, 0, "warning");
  raise(SIGWINCH);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
