//@ flags: --extended-lambda
// `new` and `delete` of device code where extended lambdas are asked for, and with them headers before everything else.
#include <cstdlib>

__global__ void sums(const float *a, float *out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float *own = new float[width];
  for (int k = 0; k <= width; ++k) own[k] = a[i] * k; //~ oob-global proved
  out[i] = own[width - 1];
  delete[] own;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  if (n < 1) return 1;
  float *a, *out;
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess || cudaMalloc(&out, n * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(a, 0, n * sizeof(float));
  sums<<<(n + 255) / 256, 256>>>(a, out, n, 8);
  return cudaDeviceSynchronize() != cudaSuccess;
}
