// A size of 64 bits that a loop leaves unknown, but checked, is passed as one of 32 bits: it fits, so it is the same number.
//@ decided
#include <cstdint>
#include <cstdlib>
__global__ void strided(uint32_t size, float *a) {
  uint32_t threads = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) {
    a[i] = 1;
    if (i + threads < i) break;
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 1;
  const uint64_t most = 8388608;
  float *d;
  cudaMalloc((void **)&d, most * sizeof(float));
  uint64_t n = 128;
  while (n <= most) {
    strided<<<64, 128>>>(n, d);
    uint64_t next = 1.3 * n;
    n = next == n ? n + 1 : next;
  }
  return 0;
}
