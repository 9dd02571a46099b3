//@ decided
//@ flags: -rdc=true
// Relocatable device code: a variable that is the unit's own bounds the index, and the host sets it to one too many.
#include <cstdlib>
#include <cuda_runtime.h>

static __device__ int count;
static __constant__ int limit = 4;

namespace {
__global__ void fill(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) a[i] = limit; //~ oob-global proved
}
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  int more = n + 1;
  cudaMemcpyToSymbol(count, &more, sizeof(int));
  fill<<<(n + 255) / 256, 256>>>(a);
  return cudaDeviceSynchronize();
}
