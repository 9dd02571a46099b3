// Values of one array in planes: the same product wraps in each, which is one finding and not one for each plane.
//@ decided
#include <cstdlib>

__global__ void norms(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i + 10 * n]; //~ index-overflow proved
  float y = in[i + 11 * n];
  float z = in[i + 12 * n];
  out[i] = x * x + y * y + z * z;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  float *in, *out;
  if (cudaMalloc(&in, size_t(13) * n * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&out, n * sizeof(float)) != cudaSuccess) return 1;
  norms<<<(n + 255) / 256, 256>>>(in, out, n);
  cudaFree(in);
  cudaFree(out);
}
