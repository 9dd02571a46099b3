// Index arrays of `malloc` that nested loops fill row by row: each element has a value, which is in bounds.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void multiply(const int *first, const int *column, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int j = first[i]; j < first[i + 1]; j++) sum += x[column[j]];
    y[i] = sum;
  }
}
__global__ void take(const int *index, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}
int main(int argc, char **argv) {
  const int rows = 1000, per_row = 5;
  int *first = (int *)malloc((rows + 1) * sizeof(int)), *column = (int *)malloc(rows * per_row * sizeof(int));
  first[0] = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < per_row; j++) column[i * per_row + j] = rand() % rows;
    first[i + 1] = first[i] + per_row;
  }
  int *d_first, *d_column;
  float *x, *y;
  cudaMalloc(&d_first, (rows + 1) * sizeof(int));
  cudaMalloc(&d_column, rows * per_row * sizeof(int));
  cudaMalloc(&x, rows * sizeof(float));
  cudaMalloc(&y, rows * sizeof(float));
  cudaMemcpy(d_first, first, (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_column, column, rows * per_row * sizeof(int), cudaMemcpyHostToDevice);
  multiply<<<(rows + 255) / 256, 256>>>(d_first, d_column, x, y, rows);

  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  int *index = (int *)malloc(n * 8 * sizeof(int));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++) index[i * 8 + j] = (i + j) % n;
  int *d_index;
  float *from, *to;
  cudaMalloc(&d_index, n * 8 * sizeof(int));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * 8 * sizeof(float));
  cudaMemcpy(d_index, index, n * 8 * sizeof(int), cudaMemcpyHostToDevice);
  take<<<(n * 8 + 255) / 256, 256>>>(d_index, from, to, n * 8);
}
