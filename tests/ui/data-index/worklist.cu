// Places in a list that threads count up by an atomic operation, as often as the file says.
//@ decided
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void enlist(const int *wanted, int *list, int *length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && wanted[i] != 0) {
    int at = atomicAdd(length, 1);
    list[at] = i; //~ data-index proved
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *file = fopen(argv[1], "rb");
  if (!file) return 1;
  int sizes[2];
  if (fread(sizes, sizeof(int), 2, file) != 2) return 1;
  int n = sizes[0], most = sizes[1];
  if (n < 1 || n > 256 || most < 1 || most > n) return 1;
  int wanted[256];
  if (fread(wanted, sizeof(int), n, file) != (size_t)n) return 1;
  fclose(file);
  int *d_wanted, *list, *length;
  cudaMalloc(&d_wanted, n * sizeof(int));
  cudaMalloc(&list, most * sizeof(int));
  cudaMalloc(&length, sizeof(int));
  cudaMemcpy(d_wanted, wanted, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(length, 0, sizeof(int));
  enlist<<<1, 256>>>(d_wanted, list, length, n);
  cudaDeviceSynchronize();
  return 0;
}
