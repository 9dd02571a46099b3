// Globals that a loop changes: one element too few for each of them.
#include <cstdlib>

int given;
int size = 32;

__global__ void some(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1; //~ oob-global proved
}

__global__ void whole(double *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0; } //~ oob-global proved

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) given += 2;
  for (int i = 1; i < argc; i++) size += 32;
  int *a;
  cudaMalloc(&a, argc * 2 * sizeof(int));
  some<<<(given + 255) / 256 + 1, 256>>>(a, given + 3);
  double *b;
  cudaMalloc(&b, (size - 1) * sizeof(double));
  whole<<<size / 32, 32>>>(b);
  return cudaDeviceSynchronize();
}
