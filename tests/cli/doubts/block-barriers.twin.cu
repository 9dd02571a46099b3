// Nothing rests on `block-barriers`.
#include <cstdlib>
__global__ void k(float *x, int n) {
  __shared__ int m;
  if (threadIdx.x == 0) m = n;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10;
  float *x;
  if (n < 1 || cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
  k<<<(n + 255) / 256, 256>>>(x, n);
}
