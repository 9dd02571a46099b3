// What frees memory, or needs alignment, happens only where an unsigned difference wraps: a proof that reads it as a number excludes that.
#include <cstdlib>

__global__ void set(int *a) { a[threadIdx.x] = 1; }
__global__ void kept(int *a) { a[threadIdx.x] = 1; }
__global__ void store(char *a, unsigned n) {
  if (n < 10 && n - 5u > 100u) *(int *)(a + 1) = 1; //~ misaligned proved
  if (n >= 5 && n < 10 && n - 5u > 100u) *(int *)(a + 3) = 1;
}

int main(int, char **argv) {
  unsigned n = atoi(argv[1]);
  int *a, *b, *c;
  char *d;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  cudaMalloc(&d, 64);
  if (n < 10) {
    if (n - 5u > 100u) cudaFree(a);
    set<<<1, 32>>>(a); //~ use-after-free proved
    if (n - 5u > 100u) cudaFree(b);
    cudaFree(b); //~ double-free proved
    if (n >= 5) {
      if (n - 5u > 100u) cudaFree(c);
      kept<<<1, 32>>>(c);
      cudaFree(c);
    }
  }
  store<<<1, 1>>>(d, n);
  return cudaDeviceSynchronize();
}
