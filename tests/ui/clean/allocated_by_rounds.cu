// Every round of a loop allocates memory and keeps it in an array: of one size, or each of its own.
//@ decided
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void fill(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }

struct Part { int n; float *data; cudaStream_t stream; };

int main(int argc, char **argv) {
  int many = atoi(argv[1]), n = atoi(argv[2]), devices = 1;
  if (many > 64 || n < 1 || argc < many + 3) return 1;
  cudaGetDeviceCount(&devices);
  if (devices < 1) return 1;
  if (devices > 8) devices = 8;

  float *alike[8];
  cudaStream_t streams[8];
  for (int i = 0; i < devices; i++) { cudaSetDevice(i); cudaMalloc(&alike[i], n * sizeof(float)); cudaStreamCreate(&streams[i]); }
  for (int i = 0; i < devices; i++) fill<<<(n + 63) / 64, 64, 0, streams[i]>>>(alike[i], n);
  for (int i = 0; i < devices; i++) cudaFree(alike[i]);

  int sizes[64];
  float **chosen = (float **)malloc(many * sizeof(float *));
  for (int i = 0; i < many; i++) sizes[i] = atoi(argv[i + 3]);
  for (int i = 0; i < many; i++) cudaMalloc(&chosen[i], sizes[i] * sizeof(float));
  for (int i = 0; i < many; i++) fill<<<(sizes[i] + 63) / 64, 64>>>(chosen[i], sizes[i]);

  Part parts[8];
  for (int i = 0; i < devices; i++) {
    parts[i].n = n / devices + i;
    cudaStreamCreate(&parts[i].stream);
    cudaMalloc(&parts[i].data, parts[i].n * sizeof(float));
  }
  for (int i = 0; i < devices; i++) fill<<<(parts[i].n + 63) / 64, 64, 0, parts[i].stream>>>(parts[i].data, parts[i].n);

  for (int again = 0; again < 3; again++) {
    std::vector<float *> rows(many);
    for (int i = 0; i < many; i++) { float *row; cudaMalloc(&row, (i + 1) * sizeof(float)); rows[i] = row; }
    for (int i = 0; i < many; i++) fill<<<1, 64>>>(rows[i], i + 1);
    for (int i = 0; i < many; i++) cudaFree(rows[i]);
  }
  return cudaDeviceSynchronize();
}
