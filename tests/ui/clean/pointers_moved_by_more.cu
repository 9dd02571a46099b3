//@ decided
// Pointers that each iteration moves by more than the one before: rows of a packed triangle, and elements of a grid-stride loop.
#include <cstdlib>
__global__ void packed(float *a, int n) {
  float *row = a;
  for (int i = 0; i < n; i++) {
    if (threadIdx.x <= i) row[threadIdx.x] = 1;
    row += i + 1;
  }
}

__global__ void few(float *y, int m) {
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    y += i * 3;
    y[0] = 1;
  }
}

__global__ void back(float *end, int n) {
  for (int i = 0; i < n; i++) {
    end -= i + 1;
    end[0] = 1;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 10000) return 1;
  float *a, *b;
  cudaMalloc(&a, n * (n + 1) / 2 * sizeof(float));
  cudaMalloc(&b, 2299 * sizeof(float));
  packed<<<1, 128>>>(a, n);
  few<<<1, 256>>>(b, n < 512 ? n : 512);
  back<<<1, 1>>>(a + n * (n + 1) / 2, n);
  return cudaDeviceSynchronize();
}
