// With the attribute a launch has more dynamic shared memory, and runs. What was refused leaves the attribute as it was.
//@ decided
#include <cstdlib>
extern __shared__ int tile[];
__global__ void wide(int *a, int n) { tile[threadIdx.x] = n; if (threadIdx.x <= n) a[threadIdx.x] = tile[0]; } //~ oob-global proved
__global__ void fallback(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 2000) return 1;
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaFuncSetAttribute(wide, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
  cudaFuncSetAttribute(wide, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10);
  wide<<<1, 65, 64 << 10>>>(a, 64);
  int *b;
  cudaMalloc(&b, n * sizeof(int));
  fallback<<<1, n>>>(b, n);
  // Only then more than a block can have was asked for.
  if (cudaGetLastError() != cudaSuccess) fallback<<<4, 1024>>>(b, 2 * n);
  return cudaDeviceSynchronize();
}
