//@ decided
// Options with their values behind an equals sign, read by sscanf or atoi.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void shift(float *a, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + by] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = 64, by = 0;
  for (; argc > 1; argc--, argv++) {
    if (strncmp(argv[1], "--size=", 7) == 0) sscanf(argv[1] + 7, "%d", &n);
    else if (strncmp(argv[1], "--by=", 5) == 0) by = atoi(argv[1] + 5);
  }
  if (n < 1 || by < 0) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  shift<<<(n + 255) / 256, 256>>>(a, n, by);
  return cudaDeviceSynchronize();
}
