//@ undecided: 2
//@ flags: -rdc=true
// A kernel frees memory of the heap that one which it launched may still use.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void child(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }
__global__ void parent(int n) {
  int *p = (int *)malloc(n * sizeof(int));
  if (!p) return;
  child<<<1, 64>>>(p, n);
  free(p);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 64) return 1;
  parent<<<1, 1>>>(n);
  cudaDeviceSynchronize();
}
