// The first thread reads the element before the array.
#include <cstdlib>

__global__ void difference(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] - in[i - 1]; //~ oob-global proved
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
