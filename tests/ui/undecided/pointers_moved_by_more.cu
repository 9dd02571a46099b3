// A pointer that is moved by what a buffer holds does not grow evenly. One that is moved by a product that wraps does so up to there.
//@ undecided: 1
#include <cstdlib>
__global__ void times(int *by, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) by[i] = clock() & 1;
}

__global__ void by_contents(float *y, const int *by, int m) {
  for (int i = 0; i < m; i++) {
    y += by[i];
    y[0] = 1;
  }
}

__global__ void wrapping(float *y, int m) {
  for (int i = 0; i < m; i++) {
    y += (short)(i * 3);  // below 0 from 10923 on
    y[0] = 1;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 20000) return 1;
  float *y;
  int *by;
  cudaMalloc(&y, 1 << 30);
  cudaMalloc(&by, n * sizeof(int));
  times<<<(n + 127) / 128, 128>>>(by, n);
  by_contents<<<1, 1>>>(y, by, n);
  wrapping<<<1, 1>>>(y, n);
  return cudaDeviceSynchronize();
}
