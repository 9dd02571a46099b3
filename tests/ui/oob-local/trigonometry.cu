// Where a mathematical function of CUDA stores what it gives is the program's business.
//@ decided
#include <cuda_runtime.h>

__global__ void compute(const double *d, double *out) {
  double parts[4];
  int i = threadIdx.x;
  sincos(d[i], &parts[i % 5], &parts[0]); //~ oob-local proved
  out[i] = parts[0] + parts[1];
}

int main() {
  double *d, *out;
  cudaMalloc(&d, 64 * sizeof(double));
  cudaMalloc(&out, 64 * sizeof(double));
  compute<<<1, 64>>>(d, out);
  return cudaDeviceSynchronize();
}
