//@ decided
// Recursion that ends where it is seen to end, and one that does nothing on a device.
#include <cstdlib>

static int calls;

__global__ void some(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

__device__ void fill(int *a, int i) {
  a[i] = 1;
  if (i < 31) fill(a, i + 1);
}

__global__ void filled(int *a) { fill(a, 0); }

static void halves(int *a, int n, int left) {
  some<<<1, 64>>>(a, n);
  if (left > 0) halves(a, n * 2, left - 1);
}

static int depth(int n) {
  calls++;
  return n < 2 ? 0 : 1 + depth(n / 2);
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  halves(a, 8, 2);
  filled<<<1, 1>>>(a);
  return depth(argc) + calls + cudaDeviceSynchronize();
}
