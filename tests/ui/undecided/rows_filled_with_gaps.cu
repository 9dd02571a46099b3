// Nested loops that leave gaps between rows, fill rows of growing length, stop early, or leave a row out: what lies there is unknown.
//@ undecided: 4
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void gaps(const int *index, float *x) { x[index[threadIdx.x]] = 1; }
__global__ void growing(const int *index, float *x) { x[index[threadIdx.x]] = 1; }
__global__ void early(const int *index, float *x) { x[index[threadIdx.x]] = 1; }
__global__ void some(const int *index, float *x) { x[index[threadIdx.x]] = 1; }
int *copied(const int *from) {
  int *to;
  cudaMalloc(&to, 512 * sizeof(int));
  cudaMemcpy(to, from, 512 * sizeof(int), cudaMemcpyHostToDevice);
  return to;
}
int main(int argc, char **argv) {
  int stop = atoi(argv[1]);
  int *a = (int *)malloc(1024 * sizeof(int)), *b = (int *)malloc(1024 * sizeof(int));
  int *c = (int *)malloc(1024 * sizeof(int)), *d = (int *)malloc(1024 * sizeof(int));
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 8; j++) a[i * 9 + j] = (i + j) % 100;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < i % 8; j++) b[i * 8 + j] = (i + j) % 100;
  for (int i = 0; i < 100; i++) {
    for (int j = 0; j < 8; j++) c[i * 8 + j] = (i + j) % 100;
    if (i == stop) break;
  }
  for (int i = 0; i < 100; i++) {
    if (i == stop) continue;
    for (int j = 0; j < 8; j++) d[i * 8 + j] = (i + j) % 100;
  }
  float *x;
  cudaMalloc(&x, 100 * sizeof(float));
  gaps<<<1, 512>>>(copied(a), x);
  growing<<<1, 512>>>(copied(b), x);
  early<<<1, 512>>>(copied(c), x);
  some<<<1, 512>>>(copied(d), x);
}
