// The same with a size for which every element passes the check.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void k(char *a, const int *index, int n) { int i = threadIdx.x; if (i < n) a[index[i] + 1] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 2 || n > 20) return 1;
  char *a;
  int *index;
  cudaMalloc(&a, n);
  cudaMalloc(&index, n * sizeof(int));
  int *h = (int *)calloc(n, sizeof(int));
  for (int i = 0; i < n; i++) h[i] = 19 - i;
  bool ok = true;
  for (int i = 0; i < n; i++) if (h[i] < 0 || h[i] >= n) ok = false;
  if (!ok) return 1;
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  k<<<1, 32>>>(a, index, n - 1);
  return cudaDeviceSynchronize();
}
