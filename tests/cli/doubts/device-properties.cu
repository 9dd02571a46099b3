// Rests on `device-properties` in the lines that say so.
#include <cstdlib>
__global__ void k(char *x) {
  x[blockIdx.x] = 1;  //~
}
int main(int argc, char **argv) {
  int count;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess) return 1;
  char *x;
  if (cudaMalloc(&x, 1024) != cudaSuccess) return 1;
  k<<<count, 1>>>(x);
}
