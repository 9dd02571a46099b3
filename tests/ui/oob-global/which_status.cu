// A launch that is refused gives one code or another: what is done only on one of them is not proved, what is done on either is.
#include <cstdlib>
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global possible
__global__ void l(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&b, 64 * sizeof(int));
  k<<<1, 2048>>>(a, 64);
  cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) l<<<1, 128>>>(b, 96);
  if (status == cudaErrorInvalidConfiguration) k<<<1, 128>>>(a, 96);
  switch (status) {
  case cudaErrorInvalidValue: k<<<1, 128>>>(a, 80); break;
  default: break;
  }
  return cudaDeviceSynchronize();
}
