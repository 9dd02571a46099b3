// The host sees to what kernels take for granted, in whatever words they do.
//@ flags: -DNDEBUG -std=c++20
#include <cassert>
#include <cstdlib>
__global__ void by_attribute(float *a, int n) {
  [[assume(n % 4 == 0)]];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n)
    for (int k = 0; k < 4; k++) a[4 * i + k] *= 2.0f;
}
__global__ void by_assertion(float *a, int n) {
  assert(n % 4 == 0);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n)
    for (int k = 0; k < 4; k++) a[4 * i + k] *= 2.0f;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000 || n % 4 != 0) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  by_attribute<<<(n + 255) / 256, 256>>>(a, n);
  by_assertion<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
