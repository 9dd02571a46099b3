// Fills of the driver's API count units of one, two and four bytes; copies count bytes.
//@ decided
#include <cuda.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main() {
  CUdeviceptr p, q;
  size_t pitch;
  float h[1000];
  cuMemAlloc(&p, 4000);
  cuMemAllocPitch(&q, &pitch, 100, 10, 4);
  cuMemsetD8(p, 7, 4001);  //~ memcpy-out-of-bounds proved
  cuMemsetD16(p, 7, 2001);  //~ memcpy-out-of-bounds proved
  cuMemsetD32(p, 7, 1001);  //~ memcpy-out-of-bounds proved
  cuMemsetD2D32(q, pitch, 0, 25, 11);  //~ memcpy-out-of-bounds proved
  cuMemcpyHtoD(p, h, 4001);  //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
  scale<<<4, 256>>>((float *)p, 1000);
  cuMemFree(q);
}
