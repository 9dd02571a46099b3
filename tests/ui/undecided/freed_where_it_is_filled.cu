// Loops that fill an array and may free it, element by element and row by row: the kernels may use what was freed.
//@ undecided: 2
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void elements(int *x) { x[threadIdx.x] = 1; }
__global__ void rows(int *x) { x[threadIdx.x] = 1; }
int main(int argc, char **argv) {
  int stop = atoi(argv[1]);
  int *a, *b;
  cudaMallocManaged(&a, 100 * sizeof(int));
  cudaMallocManaged(&b, 800 * sizeof(int));
  for (int i = 0; i < 100; i++) {
    a[i] = i;
    if (i == stop && stop == 99) cudaFree(a);
  }
  for (int i = 0; i < 100; i++) {
    for (int j = 0; j < 8; j++) b[i * 8 + j] = i;
    if (i == stop && stop == 99) cudaFree(b);
  }
  elements<<<1, 100>>>(a);
  rows<<<1, 800>>>(b);
}
