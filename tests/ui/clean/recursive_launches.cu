//@ decided
//@ flags: -rdc=true
// Kernels that launch themselves with swapped buffers, by way of another kernel, and with a structure by value.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void swapk(float *a, float *b, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
  if (i == 0 && d < 4) swapk<<<(n + 63) / 64, 64>>>(b, a, n, d + 1);
}
__global__ void A(float *a, int n, int d);
__global__ void B(float *a, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
  if (i == 0 && d < 4) A<<<(n + 63) / 64, 64>>>(a, n, d + 1);
}
__global__ void A(float *a, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 2;
  if (i == 0 && d < 4) B<<<(n + 63) / 64, 64>>>(a, n, d + 1);
}
struct P { float *p; int n; };
__global__ void S(P q, int d) {
  int i = threadIdx.x;
  if (i < q.n) q.p[i] = 1;
  P r = {q.p, q.n};
  if (i == 0 && d < 3) S<<<1, 64>>>(r, d + 1);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  swapk<<<(n + 63) / 64, 64>>>(a, b, n, 0);
  cudaMalloc(&c, n * sizeof(float));
  A<<<(n + 63) / 64, 64>>>(c, n, 0);
  P p = {c, n};
  S<<<1, 64>>>(p, 0);
  return cudaDeviceSynchronize();
}
