// Launches of one kernel, each with sizes and arrays of its own; one gets an array that lacks its last element.
#include <cstdlib>

__global__ void scale(float *to, const float *from, int rows, int columns, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x)
    to[i] = by * from[i]; //~ oob-global proved
}

static void run(int rows, int columns, int less) {
  float *to, *from;
  cudaMalloc(&to, sizeof(float) * rows * columns);
  cudaMalloc(&from, sizeof(float) * (rows * columns - less));
  cudaMemset(from, 0, sizeof(float) * (rows * columns - less));
  scale<<<(rows * columns + 127) / 128, 128>>>(to, from, rows, columns, 2.5f);
  cudaFree(to);
  cudaFree(from);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  run(n, 3, 0);
  run(7, n, 0);
  run(n, n, 0);
  run(16, 16, 0);
  run(n + 1, 2 * n, 0);
  for (int rows = 1; rows <= 64; rows *= 2) run(rows, 5, rows == 8);
  return cudaDeviceSynchronize();
}
