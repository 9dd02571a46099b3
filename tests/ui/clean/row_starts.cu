//@ decided
// Row starts of sparse matrices: running sums in a variable, of the element before, of lengths kept elsewhere, in vectors.
#include <cstdlib>
#include <vector>

__global__ void rows(const int *start, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = start[i]; j < start[i + 1]; j++) values[j] = 1;
}
__global__ void multiply(const int *start, const int *column, const float *values, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = start[i]; j < start[i + 1]; j++) sum += values[j] * x[column[j]];
  y[i] = sum;
}
__global__ void short_rows(const int *start, const float *values, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float kept[8];
  int length = start[i + 1] - start[i];
  for (int j = 0; j < length; j++) kept[j] = values[start[i] + j];
  y[i] = length > 0 ? kept[length - 1] : 0;
}

static void launch(const int *start, int n, int total) {
  int *d;
  float *values, *y;
  cudaMalloc(&d, (n + 1) * sizeof(int));
  cudaMalloc(&values, total * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(d, start, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  rows<<<(n + 255) / 256, 256>>>(d, values, n);
  short_rows<<<(n + 255) / 256, 256>>>(d, values, y, n);
}

static void in_a_variable(int n) {
  int *start = (int *)malloc((n + 1) * sizeof(int));
  int total = 0;
  for (int i = 0; i < n; i++) {
    start[i] = total;
    total += rand() % 8;
  }
  start[n] = total;
  launch(start, n, total);
}
static void behind_the_step(int n) {
  int *start = new int[n + 1];
  int total = 0;
  start[0] = 0;
  for (int i = 0; i < n; i++) {
    if (rand() & 1) total++;
    start[i + 1] = total;
  }
  launch(start, n, start[n]);
}
static void of_the_element_before(int n) {
  std::vector<int> start(n + 1);
  start[0] = 0;
  for (int i = 1; i <= n; i++) start[i] = start[i - 1] + 1 + i % 7;
  launch(start.data(), n, start[n]);
}
static void of_lengths(int n) {
  std::vector<int> length(n), start(n + 1), column;
  for (int i = 0; i < n; i++) length[i] = rand() % 9;
  start[0] = 0;
  for (int i = 0; i < n; i++) start[i + 1] = start[i] + length[i];
  int total = start[n];
  column.resize(total);
  for (int j = 0; j < total; j++) column[j] = rand() % n;
  int *d, *c;
  float *values, *x, *y;
  cudaMalloc(&d, start.size() * sizeof(int));
  cudaMalloc(&c, column.size() * sizeof(int));
  cudaMalloc(&values, total * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(d, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(c, column.data(), column.size() * sizeof(int), cudaMemcpyHostToDevice);
  multiply<<<(n + 255) / 256, 256>>>(d, c, values, x, y, n);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  in_a_variable(n);
  behind_the_step(n);
  of_the_element_before(n);
  of_lengths(n);
  return cudaDeviceSynchronize();
}
