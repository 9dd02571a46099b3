// Three parts, each computed from the one before; their sizes are the program's input.
//@ snapshot
#include <cstdlib>

__global__ void filter(const float *in, float *out, int n, int w) {
  extern __shared__ float smem[];
  float *first = smem;
  float *second = &first[n];
  float *third = &second[n * w];
  int t = threadIdx.x;
  first[t + 1] = in[t]; //~ intra-allocation proved
  for (int i = 0; i <= w; i++) second[t * w + i] = in[t]; //~ intra-allocation proved
  third[t] = second[t * w + w - 1] + second[t * w - 1]; //~ intra-allocation proved
  __syncthreads();
  out[t] = first[t] + third[t];
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), w = atoi(argv[2]);
  if (n < 1 || n > 256 || w < 1 || w > 16) return 1;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  filter<<<1, n, (2 * n + n * w) * sizeof(float)>>>(in, out, n, w);
  return cudaDeviceSynchronize();
}
