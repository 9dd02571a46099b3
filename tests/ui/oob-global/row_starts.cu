// Row starts of sparse matrices that lead beyond what was allocated for the rows.
#include <cstdlib>
#include <vector>

__global__ void rows(const int *start, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = start[i]; j < start[i + 1]; j++) values[j] = 1; //~ oob-global proved
}
__global__ void closed(const int *start, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = start[i]; j <= start[i + 1]; j++) values[j] = 1; //~ oob-global proved
}
__global__ void one_more(const int *start, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = start[i]; j < start[i + 1]; j++) values[j + 1] = 1; //~ oob-global proved
}
__global__ void before(const int *start, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[start[i] - 1] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  std::vector<int> start(n + 1);
  int total = 0;
  for (int i = 0; i < n; i++) {
    start[i] = total;
    total += 1 + i % 7;
  }
  start[n] = total;
  int *d;
  float *few, *values;
  cudaMalloc(&d, (n + 1) * sizeof(int));
  cudaMalloc(&few, 3 * n * sizeof(float));
  cudaMalloc(&values, total * sizeof(float));
  cudaMemcpy(d, start.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  rows<<<(n + 255) / 256, 256>>>(d, few, n);
  closed<<<(n + 255) / 256, 256>>>(d, values, n);
  one_more<<<(n + 255) / 256, 256>>>(d, values, n);
  before<<<(n + 255) / 256, 256>>>(d, values, n);
  return cudaDeviceSynchronize();
}
