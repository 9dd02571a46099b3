// Each round uses what the round before allocated, which is smaller than what this round allocates.
#include <cstdlib>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 0; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *a = nullptr;
  for (int i = 1; i <= n; ++i) {
    if (a) fill<<<1, 1024>>>(a, i);
    cudaMalloc(&a, i * sizeof(float));
  }
  return cudaDeviceSynchronize();
}
