//@ decided
// Functions that do not return, declared without saying so.
#include <cstdlib>
#include <error.h>

extern "C" void leave(int) __asm__("_exit");
extern "C" void give_up() __asm__("abort");

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 1) leave(1);
  if (m > n) error(2, 0, "too large");
  if (m < 0) give_up();
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
