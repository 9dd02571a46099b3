//@ decided
// A structure passed by value to a launch that a loop repeats.
#include <cstdlib>

struct Box { int x, y, z; };

__global__ void fill(float *a, Box box) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < box.x * box.y) a[i] = box.z;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), repeat = atoi(argv[2]);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * n * sizeof(float));
  Box box = {n, n, 7};
  for (int r = 0; r < repeat; ++r) fill<<<(n * n + 63) / 64, 64>>>(a, box);
  return cudaDeviceSynchronize();
}
