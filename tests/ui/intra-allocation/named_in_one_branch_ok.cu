// A part that one branch names lies between two others; in the other branch the access ends where the last begins.
//@ decided
#include <cstdlib>

__global__ void sums(const float *in, float *out, int weighted) {
  __shared__ float buffer[3 * 64];
  float *a = buffer;
  float *b;
  if (weighted) b = buffer + 64;
  float *c = buffer + 128;
  int t = threadIdx.x;
  c[t] = 0;
  if (weighted)
    b[t] = in[t];
  else
    a[t + 64] = in[t];
  __syncthreads();
  out[t] = c[t] + a[t];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  sums<<<1, 64>>>(in, out, atoi(argv[1]));
  return cudaDeviceSynchronize();
}
