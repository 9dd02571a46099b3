// Indices that a C++ stream reads.
//@ decided
#include <fstream>
#include <vector>
#include <cuda_runtime.h>
__global__ void gather(const int *order, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[order[i]] = 1.0f; //~ data-index proved
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  std::ifstream file(argv[1]);
  if (!file.is_open()) return 1;
  int n;
  file >> n;
  if (!file || n < 1 || n > 10000) return 1;
  int *order = new int[n];
  for (int i = 0; i < n; i++) file >> order[i];
  file.close();
  int *d; float *to;
  cudaMalloc(&d, n * sizeof(int)); cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(d, order, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(d, to, n);
  return cudaDeviceSynchronize();
}
