// What `realloc` was given has ended, wherever the memory is now.
#include <cstdlib>
int main(int argc, char **argv) {
  int *host = (int *)malloc(16 * sizeof(int)), *d;
  for (int i = 0; i < 16; i++) host[i] = i;
  cudaMalloc(&d, 16 * sizeof(int));
  int *longer = (int *)realloc(host, 1000 * sizeof(int));
  if (!longer) return 1;
  cudaMemcpy(d, host, 16 * sizeof(int), cudaMemcpyHostToDevice); //~ use-after-free proved
  free(longer);
  cudaFree(d);
  return 0;
}
