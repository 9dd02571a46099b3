// What is freed by the wrong function, or not from its start, is not freed.
//@ decided
#include <cstdlib>
__global__ void k(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a, *p, *m, *h = (int *)malloc(64 * sizeof(int));
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMallocHost(&p, 64 * sizeof(int));
  cudaMallocManaged(&m, 64 * sizeof(int));
  cudaFreeHost(a);
  cudaFree(a + 1);
  k<<<1, 64>>>(a);
  cudaFree(p);
  k<<<1, 64>>>(p);
  cudaFreeHost(m);
  k<<<1, 64>>>(m);
  cudaFree(h);
  h[0] = 1;
  free(h);
  return cudaDeviceSynchronize();
}
