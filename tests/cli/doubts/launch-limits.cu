// Rests on `launch-limits` in the lines that say so.
#include <cstdlib>
__global__ void k() {
  __shared__ int s[1024];
  s[threadIdx.x] = 1;  //~
}
int main(int argc, char **argv) {
  if (argc > 1) k<<<1, atoi(argv[1])>>>();
}
