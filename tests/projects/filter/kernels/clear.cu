#include "kernels.h"

__global__ void clear(float *row, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) row[i] = 0.0f;
}

// Called as Fortran calls.
extern "C" void launch_clear_(float *row, const int *count) { clear<<<(*count + 255) / 256, 256>>>(row, *count); }
