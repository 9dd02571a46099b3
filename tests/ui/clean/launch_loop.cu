//@ decided
// A launch for each row, through a pointer into the middle of the array.
#include <cstdlib>

__global__ void fill(int *row, int columns, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < columns) row[i] = value;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int rows = atoi(argv[1]), columns = atoi(argv[2]);
  if (rows < 1 || columns < 1 || rows > 1000 || columns > 1000) return 1;
  int *a;
  cudaMalloc(&a, rows * columns * sizeof(int));
  for (int r = 0; r < rows; ++r) fill<<<(columns + 63) / 64, 64>>>(a + r * columns, columns, r);
  return cudaDeviceSynchronize();
}
