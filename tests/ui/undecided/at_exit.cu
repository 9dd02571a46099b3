// A launch when the program ends is not followed: nothing is safe then.
//@ undecided: 1
#include <cstdlib>

static int *memory;

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void last() {
  k<<<1, 64>>>(memory, 64);
  cudaDeviceSynchronize();
}

int main() {
  cudaMalloc(&memory, 32 * sizeof(int));
  atexit(last);
  k<<<1, 64>>>(memory, 8);
  return cudaDeviceSynchronize();
}
