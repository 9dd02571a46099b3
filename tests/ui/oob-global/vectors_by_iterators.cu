// Vectors of any size that the standard library or iterators fill with numbers that are no indices.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

__global__ void of_counted(const int *index, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[index[i]] = 1; //~ oob-global proved
}
__global__ void of_given(const int *index, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[index[i]] = 1; //~ oob-global proved
}
__global__ void of_range(const int *index, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[index[i]] = 1; //~ oob-global proved
}
__global__ void of_drawn(const int *index, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[index[i]] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  int *d;
  float *values;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&values, n * sizeof(float));
  std::vector<int> counted(n);
  std::iota(counted.begin(), counted.end(), 1);
  cudaMemcpy(d, counted.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  of_counted<<<(n + 255) / 256, 256>>>(d, values, n);
  std::vector<int> given(n, n);
  cudaMemcpy(d, given.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  of_given<<<(n + 255) / 256, 256>>>(d, values, n);
  std::vector<int> range(n);
  int c = 0;
  for (auto &x : range) x = c += 2;
  cudaMemcpy(d, range.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  of_range<<<(n + 255) / 256, 256>>>(d, values, n);
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> between(-1, n);
  for (auto &x : range) x = between(generator);
  cudaMemcpy(d, range.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  of_drawn<<<(n + 255) / 256, 256>>>(d, values, n);
  return cudaDeviceSynchronize();
}
