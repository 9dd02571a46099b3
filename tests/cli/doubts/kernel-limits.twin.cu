// Nothing rests on `kernel-limits`.
#include <cstdlib>
__global__ void k() {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
}
int main(int argc, char **argv) {
  if (argc > 1) k<<<1, 64>>>();
}
