//@ snapshot
// Either side of a copy may be too short, whatever its form; sizes in elements where bytes are meant.
#include <cstdlib>

__constant__ float weights[16];
__device__ int table[64];

__global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= weights[threadIdx.x % 16]; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1024) return 1;
  float *h = (float *)malloc(n);
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds proved
  scale<<<1, n>>>(d, n);
  float back[16];
  cudaMemcpyAsync(back, d, n * sizeof(float), cudaMemcpyDeviceToHost); //~ memcpy-out-of-bounds proved
  cudaMemset(d, 0, (n + 1) * sizeof(float)); //~ memcpy-out-of-bounds proved
  float w[16] = {};
  cudaMemcpyToSymbol(weights, w, sizeof w, sizeof(float)); //~ memcpy-out-of-bounds proved
  int t[64];
  cudaMemcpyFromSymbol(t, table, 65 * sizeof(int)); //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
  cudaMemcpy(d + 1, d, n * sizeof(float), cudaMemcpyDeviceToDevice); //~ memcpy-out-of-bounds proved
  return cudaDeviceSynchronize();
}
