// CUDA's mathematical functions look things up in tables of their own: no accesses of the program.
//@ decided
#include <cuda_runtime.h>

__global__ void compute(double *d, float *f) {
  int i = threadIdx.x;
  double s, c;
  sincos(d[i], &s, &c);
  d[i] = s * c + tan(d[i]) + j0(d[i]) + pow(d[i], 3.5);
  f[i] = sinf(f[i]) + cosf(f[i]) * tanf(f[i]);
}

int main() {
  double *d;
  float *f;
  cudaMalloc(&d, 64 * sizeof(double));
  cudaMalloc(&f, 64 * sizeof(float));
  compute<<<1, 64>>>(d, f);
  return cudaDeviceSynchronize();
}
