// A kernel whose heap gives nothing takes another way.
//@ undecided: 2
#include <cstdlib>
__global__ void k(int *a, int n) {
  int *p = (int *)malloc(16);
  if (!p) { a[threadIdx.x + 1] = 2; return; }
  p[0] = n;
  a[threadIdx.x] = p[0];
  free(p);
}

__global__ void l(int *a) {
  int *p = new int[4];
  if (p) { p[3] = 1; a[threadIdx.x] = p[3]; delete[] p; }
  else a[threadIdx.x + 64] = 1;
}

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  k<<<1, 64>>>(a, 1);
  l<<<1, 64>>>(a);
  return cudaDeviceSynchronize();
}
