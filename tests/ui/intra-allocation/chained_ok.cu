//@ decided
// The twin of chained.cu. The last part has room to spare: the launch gives more than the kernel uses.
#include <cstdlib>

__global__ void filter(const float *in, float *out, int n, int w) {
  extern __shared__ float smem[];
  float *first = smem;
  float *second = &first[n];
  float *third = &second[n * w];
  int t = threadIdx.x;
  first[t] = in[t];
  for (int i = 0; i < w; i++) second[t * w + i] = in[t];
  third[t + 1] = second[t * w - 1 + w];
  __syncthreads();
  out[t] = first[t] + third[t + 1];
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), w = atoi(argv[2]);
  if (n < 1 || n > 256 || w < 1 || w > 16) return 1;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  filter<<<1, n, (3 * n + n * w) * sizeof(float)>>>(in, out, n, w);
  return cudaDeviceSynchronize();
}
