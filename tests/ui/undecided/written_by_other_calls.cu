// Copies of rows and libraries write memory of the device too.
//@ undecided: 1
#include <cstdlib>
#include <cuda_runtime.h>

extern "C" void library_fill(int *on_device, int n);

__global__ void gather(const int *index, float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = index[i];
    a[j] = 1; //~ oob-global proved
  }
}

__global__ void scatter(const int *index, float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = index[i];
    a[j] = 1;
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 2 || n > 100000) return 1;
  int *rows, *filled;
  float *a;
  cudaMalloc(&rows, n * sizeof(int));
  cudaMalloc(&filled, n * sizeof(int));
  cudaMalloc(&a, n * sizeof(float));
  cudaMemset(rows, 0, n * sizeof(int));
  cudaMemset(filled, 0, n * sizeof(int));
  cudaMemcpy2D(rows, 4, &m, 4, 4, 1, cudaMemcpyHostToDevice);
  library_fill(filled, n);
  gather<<<(n + 127) / 128, 128>>>(rows, a, n);
  scatter<<<(n + 127) / 128, 128>>>(filled, a, n);
  cudaDeviceSynchronize();
  return 0;
}
