//@ undecided: 2
// Recursion as deep as an input says: what its last calls launch and access is not followed.
#include <cstdlib>

__global__ void some(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

__device__ void fill(int *a, int i, int n) {
  a[i] = 1;
  if (i < n) fill(a, i + 1, n);
}

__global__ void filled(int *a, int n) { fill(a, 0, n); }

static void halves(int *a, int n, int left) {
  some<<<1, 64>>>(a, n);
  if (left > 0) halves(a, n * 2, left - 1);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1000 || n > 4000) return 1;
  int *a, *b;
  cudaMalloc(&a, 4 << 20);
  cudaMalloc(&b, 4001 * sizeof(int));
  halves(a, 8, n / 1000);
  filled<<<1, 1>>>(b, n);
  return cudaDeviceSynchronize();
}
