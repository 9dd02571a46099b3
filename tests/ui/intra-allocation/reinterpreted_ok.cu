//@ decided
// The twin of reinterpreted.cu.
#include <cstdlib>

template <typename T>
__global__ void histogram(const T *in, int *out, int n) {
  extern __shared__ char raw[];
  int *counts = reinterpret_cast<int *>(raw + 2 * n * sizeof(T));
  T *values = reinterpret_cast<T *>(raw);
  T *weights = values + n;
  int t = threadIdx.x;
  values[t] = in[t];
  weights[t] = in[t];
  counts[t] = 0;
  __syncthreads();
  out[t] = (int)(values[t] * weights[t]) + counts[t];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 256) return 1;
  double *in;
  int *out;
  cudaMalloc(&in, n * sizeof(double));
  cudaMalloc(&out, n * sizeof(int));
  histogram<double><<<1, n, n * (2 * sizeof(double) + 4 * sizeof(int))>>>(in, out, n);
  return cudaDeviceSynchronize();
}
