// The size of the allocation is a number of elements.
#include <cstdlib>

__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  int *a;
  cudaMalloc(&a, n);
  fill<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
