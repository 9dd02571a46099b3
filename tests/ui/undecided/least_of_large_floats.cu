//@ snapshot
// A float rounds a large count: where a minimum of it ends is not known exactly.
#include <cstdlib>
__global__ void k(float *x, int n) {
  const int size = fminf(n, 2e9f);
  int i = n - 2 + threadIdx.x;
  if (i < size) x[i] = 1;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > 20000000) return 1;
  float *x;
  if (cudaMalloc(&x, n * sizeof(float))) return 1;
  k<<<1, 4>>>(x, n);
}
