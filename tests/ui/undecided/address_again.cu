// What is allocated after a block was freed may be where that was, on the device as on the host.
//@ undecided: 2
#include <cstdlib>
__global__ void on_device(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void on_host(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  int *old = a;
  cudaFree(a);
  cudaMalloc(&b, 64 * sizeof(int));
  on_device<<<1, 128>>>(b, old == b ? 128 : 64);
  char *x = (char *)malloc(16);
  free(x);
  char *y = (char *)malloc(16);
  int n = 64;
  if (x == y) n = 128;
  on_host<<<1, 128>>>(b, n);
  return cudaDeviceSynchronize();
}
