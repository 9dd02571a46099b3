// The upper half of a number, copied alone: it is not what lay there before the number was written.
#include <cstdlib>
#include <cstring>
__global__ void at(int *d, int i) { d[i] = 1; } //~ oob-global proved
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  struct S { int x[2]; long long y; } s = {};
  s.y = (long long)n << 32;
  int half = 0;
  memcpy(&half, (char *)&s + 12, 4);
  int *d;
  cudaMalloc(&d, n * sizeof(int));
  at<<<1, 1>>>(d, half);
  return cudaDeviceSynchronize();
}
