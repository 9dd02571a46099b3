// Index arrays of nested loops with one element that leads out: the last of a row, the first of all, one that is set behind the loops.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void last(const int *index, float *x) { x[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void first(const int *index, float *x) { x[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void behind(const int *index, float *x) { x[index[threadIdx.x]] = 1; } //~ oob-global proved
int *copied(const int *from) {
  int *to;
  cudaMalloc(&to, 800 * sizeof(int));
  cudaMemcpy(to, from, 800 * sizeof(int), cudaMemcpyHostToDevice);
  return to;
}
int main() {
  int *a = (int *)malloc(800 * sizeof(int)), *b = (int *)malloc(800 * sizeof(int)), *c = (int *)malloc(800 * sizeof(int));
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 8; j++) a[i * 8 + j] = i + (j == 7);
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 8; j++) b[i * 8 + j] = 100 - i;
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 8; j++) c[i * 8 + j] = i;
  c[77] = 100;
  float *x;
  cudaMalloc(&x, 100 * sizeof(float));
  last<<<1, 800>>>(copied(a), x);
  first<<<1, 800>>>(copied(b), x);
  behind<<<1, 800>>>(copied(c), x);
}
