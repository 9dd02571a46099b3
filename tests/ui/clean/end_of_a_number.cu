//@ decided
// Where a number ends changes nothing of what the text says before.
#include <cstdlib>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  if (argc < 3 || atoi(argv[1]) > 16) return 0;
  char *end = argv[2];
  strtod(argv[2], &end);
  int n = atoi(argv[1]);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
