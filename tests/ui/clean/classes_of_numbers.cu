//@ decided
// Accesses behind `isinf` and its like, within bounds.
#include <cmath>

__global__ void clean(const float *in, float *out, int *bad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  if (isinf(x) || isnan(x)) { bad[i] = 1; x = 0.0f; }
  if (__builtin_isnormal(x)) bad[i] = 2;
  out[i] = x;
}

int main() {
  int n = 1000, *bad;
  float *in, *out;
  if (!__builtin_isfinite(0.5 * n)) return 1;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&bad, n * sizeof(int));
  clean<<<(n + 255) / 256, 256>>>(in, out, bad, n);
  return cudaDeviceSynchronize();
}
