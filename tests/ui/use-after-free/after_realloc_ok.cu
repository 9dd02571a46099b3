//@ decided
// Where `realloc` gives nothing, what it was given is there still; else what it gave.
#include <cstdlib>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  int *host = (int *)malloc(16 * sizeof(int)), *d;
  for (int i = 0; i < 16; i++) host[i] = i;
  cudaMalloc(&d, 16 * sizeof(int));
  int *longer = (int *)realloc(host, 1000 * sizeof(int));
  if (longer) host = longer;
  cudaMemcpy(d, host, 16 * sizeof(int), cudaMemcpyHostToDevice);
  k<<<1, 128>>>(d, 16);
  free(host);
  cudaFree(d);
  return 0;
}
