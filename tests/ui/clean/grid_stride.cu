//@ decided
// A grid-stride loop, launches behind an error-check macro, and a size that need not be a multiple of anything.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                  \
  do {                                                               \
    cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                     \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

__device__ float twice(const float *p, int at) { return 2.0f * p[at]; }

__global__ void add(const float *a, float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    b[i] = b[i] + twice(a, i);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  if (n <= 0 || n > 1 << 26) return 1;
  float *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  add<<<64, 256>>>(a, b, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return 0;
}
