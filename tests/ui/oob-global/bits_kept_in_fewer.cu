//@ decided
// The complement of a small number is a small negative one, in fewer bits as well: nothing wraps.
#include <cstdlib>

__global__ void k(unsigned char *a, int n) {
  int i = blockIdx.x;
  short s = (~i) ^ 3;
  if (((8 - s) & 3) == 0) a[s < n ? s : 0] = 1; //~ oob-global proved
}
__global__ void guarded(unsigned char *a, int n) {
  int i = blockIdx.x;
  short s = (~i) ^ 3;
  if (s >= -n && s < 0) a[-s - 1] = 1;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  unsigned char *a;
  cudaMalloc(&a, n);
  k<<<n, 8>>>(a, n);
  guarded<<<n, 8>>>(a, n);
  return cudaDeviceSynchronize();
}
