// Pointers that each iteration moves by more than the one before: right in the first iteration, and wrong from the second one on.
#include <algorithm>
#include <cstdlib>
__global__ void packed(float *a, int n) {
  float *row = a;
  for (int i = 0; i < n; i++) {
    if (threadIdx.x <= i) row[threadIdx.x] = 1; //~ oob-global proved
    row += i + 1;
  }
}

__global__ void accumulated(float *y, int m) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += blockDim.x * gridDim.x) {
    y += i * 3;  // should be `y + i * 3`
    y[0] = 1; //~ oob-global proved
  }
}

__global__ void back(float *end, int n) {
  for (int i = 0; i < n; i++) {
    end -= i + 1;
    end[0] = 1; //~ oob-global proved
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 10000) return 1;
  float *a, *b;
  cudaMalloc(&a, n * (n + 1) / 2 * sizeof(float));
  cudaMalloc(&b, n * 3 * sizeof(float));
  packed<<<1, 128>>>(a, n + 1);
  accumulated<<<std::min((n + 127) / 128, 2), 128>>>(b, n);
  back<<<1, 1>>>(a + n * (n + 1) / 2 - 1, n);
  return cudaDeviceSynchronize();
}
