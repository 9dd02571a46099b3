// Nothing rests on `device-properties`.
#include <cstdlib>
__global__ void k(char *x) {
  x[blockIdx.x] = 1;
}
int main(int argc, char **argv) {
  int count;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess || count < 1) return 1;
  char *x;
  if (cudaMalloc(&x, count) != cudaSuccess) return 1;
  k<<<count, 1>>>(x);
}
