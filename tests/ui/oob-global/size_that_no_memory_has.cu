// A negative size is none that there is memory for: the program finds that there is none, and what it then launches is out of bounds.
#include <cstdlib>
__global__ void k(int *a, int n) { a[n] = 1; } //~ oob-global degenerate-possible
__global__ void l(int *a, int n) { a[n] = 1; }

static int *zeros(int n) {
  int *p = (int *)calloc(n, sizeof(int));
  return p;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *a;
  if (n > 60) return 1;
  cudaMalloc(&a, 64 * sizeof(int));
  int *h = zeros(n);
  if (h == nullptr) { k<<<1, 1>>>(a, n); return 1; }
  l<<<1, 1>>>(a, n);
  free(h);
  return cudaDeviceSynchronize();
}
