// Nothing rests on `device-memory`.
#include <cstdlib>
__global__ void k(char *a, long last) {
  a[last] = 1;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  long n = atol(argv[1]);
  if (n < 1) return 1;
  char *a;
  if (cudaMalloc(&a, n) != cudaSuccess) return 1;
  k<<<1, 1>>>(a, (long)(n >> 8));
}
