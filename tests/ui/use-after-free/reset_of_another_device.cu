//@ undecided: 1
// With several devices a reset ends the memory of the current one alone.
#include <cstdlib>
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main(int argc, char **argv) {
  int *a;
  cudaSetDevice(atoi(argv[1]));
  cudaMalloc((void **)&a, 32 * sizeof(int));
  cudaSetDevice(atoi(argv[2]));
  cudaDeviceReset();
  cudaSetDevice(atoi(argv[1]));
  fill<<<1, 32>>>(a);
  cudaFree(a);
  return 0;
}
