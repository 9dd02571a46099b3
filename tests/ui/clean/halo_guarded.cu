//@ decided
// The twin of oob-global/negative_halo.cu: the first element has no neighbour.
#include <cstdlib>

__global__ void difference(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i > 0 ? in[i] - in[i - 1] : 0.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  difference<<<(n + 255) / 256, 256>>>(in, out, n);
  return cudaDeviceSynchronize();
}
