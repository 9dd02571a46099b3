// The calls of clean/many_calls.cu, one call in each kernel with one wrong constant, guard, array or length.
#include <cstdlib>

__device__ void put(float *p, int x, int c, int n) { p[c * n + x] = c; } //~ oob-global proved
__device__ void set(float *p, int x, int c, int n) { p[c * n + x] = c; } //~ oob-global proved
__device__ void move(float *p, int x, int c, int d, int n) {
  if (x + c < n) p[x + d] = c; //~ oob-global proved
}
__device__ void take(float *p, int x, int c, int n) { p[c * n + x] = c; } //~ oob-global proved
__device__ float sum(const float *p, int length) {
  float s = 0;
  for (int j = 0; j < length; j++) s += p[j]; //~ oob-global proved
  return s;
}

__global__ void constants(float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  put(a, x, 0, n);
  put(a, x, 1, n);
  put(a, x, 2, n);
  put(a, x, 3, n);
  put(a, x, 4, n);
  put(a, x, 5, n);
  put(a, x, 6, n);
  put(a, x, 7, n);
  put(a, x, 8, n);
  put(a, x, 9, n);
  put(a, x, 10, n);
  put(a, x, 11, n);
  put(a, x, 12, n);
  put(a, x, 13, n);
  put(a, x, 14, n);
  put(a, x, 15, n);
  put(a, x, 16, n);
  put(a, x, 24, n);
  put(a, x, 18, n);
  put(a, x, 19, n);
  put(a, x, 20, n);
  put(a, x, 21, n);
  put(a, x, 22, n);
  put(a, x, 23, n);
}

__global__ void guards(float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) set(a, x, 0, n);
  if (x < n) set(a, x, 1, n);
  if (x < n) set(a, x, 2, n);
  if (x < n) set(a, x, 3, n);
  if (x < n) set(a, x, 4, n);
  if (x < n) set(a, x, 5, n);
  if (x < n) set(a, x, 6, n);
  if (x < n) set(a, x, 7, n);
  if (x < n) set(a, x, 8, n);
  if (x < n) set(a, x, 9, n);
  if (x < n) set(a, x, 10, n);
  if (x < n) set(a, x, 11, n);
  if (x < n) set(a, x, 12, n);
  if (x < n) set(a, x, 13, n);
  if (x < n) set(a, x, 14, n);
  if (x < n) set(a, x, 15, n);
  if (x < n) set(a, x, 16, n);
  if (x < n) set(a, x, 17, n);
  if (x < n) set(a, x, 18, n);
  if (x < n) set(a, x, 19, n);
  if (x < n) set(a, x, 20, n);
  set(a, x, 21, n);
  if (x < n) set(a, x, 22, n);
  if (x < n) set(a, x, 23, n);
}

__global__ void guards_with_constants(float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  move(b, x, 0, 0, n);
  move(b, x, 1, 1, n);
  move(b, x, 2, 2, n);
  move(b, x, 3, 3, n);
  move(b, x, 4, 4, n);
  move(b, x, 5, 5, n);
  move(b, x, 6, 6, n);
  move(b, x, 7, 7, n);
  move(b, x, 8, 8, n);
  move(b, x, 9, 9, n);
  move(b, x, 10, 10, n);
  move(b, x, 11, 11, n);
  move(b, x, 12, 12, n);
  move(b, x, 13, 13, n);
  move(b, x, 14, 14, n);
  move(b, x, 15, 15, n);
  move(b, x, 16, 16, n);
  move(b, x, 17, 17, n);
  move(b, x, 18, 18, n);
  move(b, x, 19, 19, n);
  move(b, x, 20, 21, n);
  move(b, x, 21, 21, n);
  move(b, x, 22, 22, n);
  move(b, x, 23, 23, n);
}

__global__ void arrays(float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  take(b, x, 0, n);
  take(a, x, 1, n);
  take(b, x, 0, n);
  take(a, x, 3, n);
  take(b, x, 0, n);
  take(a, x, 5, n);
  take(b, x, 0, n);
  take(a, x, 7, n);
  take(b, x, 0, n);
  take(a, x, 9, n);
  take(b, x, 0, n);
  take(a, x, 11, n);
  take(b, x, 0, n);
  take(a, x, 13, n);
  take(b, x, 0, n);
  take(a, x, 15, n);
  take(b, x, 0, n);
  take(a, x, 17, n);
  take(b, x, 0, n);
  take(a, x, 19, n);
  take(b, x, 0, n);
  take(a, x, 21, n);
  take(b, x, 0, n);
  take(a, x, 23, n);
  take(b, x, 1, n);
}

__global__ void lengths(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  float s = 0;
  s += sum(a + 0 * n, n);
  s += sum(a + 1 * n, n);
  s += sum(a + 2 * n, n);
  s += sum(a + 3 * n, n);
  s += sum(a + 4 * n, n);
  s += sum(a + 5 * n, n);
  s += sum(a + 6 * n, n);
  s += sum(a + 7 * n, n);
  s += sum(a + 8 * n, n);
  s += sum(a + 9 * n, n);
  s += sum(a + 10 * n, n);
  s += sum(a + 11 * n, n);
  s += sum(a + 12 * n, n);
  s += sum(a + 13 * n, n);
  s += sum(a + 14 * n, n);
  s += sum(a + 15 * n, n);
  s += sum(a + 16 * n, n);
  s += sum(a + 17 * n, n);
  s += sum(a + 18 * n, n);
  s += sum(a + 19 * n, n);
  s += sum(a + 20 * n, n);
  s += sum(a + 21 * n, n);
  s += sum(a + 22 * n, n);
  s += sum(a + 23 * n, n + 1);
  b[x] = s;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  float *a, *b;
  cudaMalloc(&a, sizeof(float) * n * 24);
  cudaMalloc(&b, sizeof(float) * n);
  unsigned blocks = (n + 127) / 128;
  constants<<<blocks, 128>>>(a, n);
  guards<<<blocks, 128>>>(a, n);
  guards_with_constants<<<blocks, 128>>>(b, n);
  arrays<<<blocks, 128>>>(a, b, n);
  lengths<<<blocks, 128>>>(a, b, n);
  return cudaDeviceSynchronize();
}
