#include "size.h"

void fill(int *a);

int main() {
  int *a;
  if (cudaMalloc(&a, COUNT * sizeof(int))) return 1;
  fill(a);
  return cudaDeviceSynchronize();
}
