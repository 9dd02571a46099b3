// One allocation of the device, cut in the kernel.
#include <cstdlib>

__global__ void split(float *work, const float *in, int n) {
  float *low = work;
  float *high = work + n;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  low[i + 1] = in[i]; //~ intra-allocation proved
  high[i] = -in[i];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  float *work, *in;
  cudaMalloc(&work, 2 * (size_t)n * sizeof(float));
  cudaMalloc(&in, n * sizeof(float));
  split<<<(n + 127) / 128, 128>>>(work, in, n);
  return cudaDeviceSynchronize();
}
