//@ decided
// What frees memory when the program ends launches nothing.
#include <cstdlib>

struct Buffers {
  int *all = nullptr;
  ~Buffers() { cudaFree(all); }
};

static Buffers buffers;
static int *more;

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void last() { cudaFree(more); }

int main() {
  cudaMalloc(&buffers.all, 32 * sizeof(int));
  cudaMalloc(&more, 32 * sizeof(int));
  atexit(last);
  k<<<1, 64>>>(buffers.all, 32);
  k<<<1, 64>>>(more, 32);
  return cudaDeviceSynchronize();
}
