// What `strtod` leaves is the end of the number, not what the variable held before.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  if (argc < 3 || atoi(argv[1]) > 16) return 0;
  char *end = argv[1];
  strtod(argv[2], &end);
  int n = atoi(end);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
