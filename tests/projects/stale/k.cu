#include "reach.h"

__global__ void k(int *a) {
  if (threadIdx.x < REACH) a[threadIdx.x + 0] = 1;
}

void fill(int *a) { k<<<1, 128>>>(a); }
