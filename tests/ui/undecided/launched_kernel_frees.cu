//@ undecided: 5
//@ flags: -rdc=true
// A launched kernel may free memory of the heap that the launching one, or another launched one, uses.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void freer(int *p) { free(p); }
__global__ void userk(int *p) { p[threadIdx.x] = 2; }
__global__ void parent(int n) {
  int *p = (int *)malloc(64 * sizeof(int));
  if (!p) return;
  freer<<<1, 1>>>(p);
  p[0] = 1;
}
__global__ void parent2(int n) {
  int *p = (int *)malloc(64 * sizeof(int));
  if (!p) return;
  freer<<<1, 1>>>(p);
  userk<<<1, 64>>>(p);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  parent<<<1, 1>>>(n);
  parent2<<<1, 1>>>(n);
  cudaDeviceSynchronize();
}
