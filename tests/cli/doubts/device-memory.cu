// Rests on `device-memory` in the lines that say so.
#include <cstdlib>
__global__ void k(char *a, int last) {
  a[last] = 1;  //~
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  long n = atol(argv[1]);
  if (n < 1) return 1;
  char *a;
  if (cudaMalloc(&a, n) != cudaSuccess) return 1;
  k<<<1, 1>>>(a, (int)(n >> 8));
}
