//@ decided
// Sizes that fit: exactly, in part, and of no bytes at all.
#include <cstdlib>
#include <vector>

__constant__ float weights[16];
__device__ int table[64];

__global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= weights[threadIdx.x % 16]; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1024) return 1;
  float *h = (float *)malloc(n * sizeof(float));
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<1, n>>>(d, n);
  std::vector<float> back(n);
  cudaMemcpyAsync(back.data(), d, back.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemset(d, 0, n * sizeof(float));
  float w[16] = {};
  cudaMemcpyToSymbol(weights, w, 15 * sizeof(float), sizeof(float));
  int t[64];
  cudaMemcpyFromSymbol(t, table, sizeof t);
  cudaMemcpy(d + 1, d, (n - 1) * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemcpy(d + n, h, 0, cudaMemcpyHostToDevice);
  int flag = 0;
  cudaMemcpyToSymbol(table, &flag, sizeof flag, 63 * sizeof(int));
  free(h);
  return cudaDeviceSynchronize();
}
