// Of a thread's own numbers, and behind a call.
//@ flags: -std=c++20
#include <cstdlib>
__device__ int half(int i) {
  __builtin_assume(i % 2 == 0); //~ false-assumption proved
  return i / 2;
}
__global__ void pack(int *a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[half(i)] = i;
}

int main(int argc, char **argv) {
  int *a, n = argc > 4 ? 64 : 32;
  cudaMalloc(&a, n * sizeof(int));
  pack<<<1, 32>>>(a, n);
  return cudaDeviceSynchronize();
}
