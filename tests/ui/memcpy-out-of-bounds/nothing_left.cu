// What is copied is too long only where something else is empty: a query that is longer than what it is sought in.
#include <cstdlib>

__global__ void find(const float *a, const float *q, float *out, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - m) return;
  float sum = 0;
  for (int j = 0; j < m; j++) sum += a[i + j] * q[j];
  out[i] = sum;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int m = atoi(argv[1]), n = atoi(argv[2]);
  if (m < 1 || n < 1 || m > 1000 || n > 1000) return 1;
  float *h = (float *)malloc(n * sizeof(float)), *a, *q, *out;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&q, m * sizeof(float));
  cudaMalloc(&out, (n - m + 1) * sizeof(float));
  cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(q, h, m * sizeof(float), cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds degenerate-proved
  find<<<(n - m + 256) / 256, 256>>>(a, q, out, m, n);
  return cudaDeviceSynchronize();
}
