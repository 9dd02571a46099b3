// A size of 64 bits that a loop leaves unknown is passed as one of 32 bits, where it does not fit: it is another number.
#include <cstdint>
#include <cstdlib>
__global__ void last(int32_t size, float *a) {
  if (threadIdx.x == 0) a[size] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc != 2) return 1;
  const uint64_t most = 8388608, more = 1ull << 40;
  float *d;
  cudaMalloc((void **)&d, most * sizeof(float));
  uint64_t n = 128;
  while (n <= more) {
    if (n > (1ull << 33)) last<<<64, 128>>>(n, d);
    uint64_t next = 1.3 * n;
    n = next == n ? n + 1 : next;
  }
  return 0;
}
