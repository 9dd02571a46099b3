// A structure that a kernel gets by value, and changes on one way only, is as it was given on the other.
//@ undecided: 1
#include <cstdlib>

struct Part {
  int n, of;
};

__global__ void twice(Part part, int c) {
  __shared__ int s[32];
  if (c > 3) part.n = 8;
  s[part.n] = 1; //~ oob-shared proved
}

__global__ void never_launched(Part part, int c) {
  __shared__ int s[32];
  if (c > 3) part.n = 8;
  s[part.n] = 1;
}

int main(int argc, char **argv) {
  Part part;
  part.n = 64;
  part.of = 3;
  twice<<<1, 1>>>(part, argc);
  twice<<<1, 1>>>(part, argc + 1);
  return cudaDeviceSynchronize();
}
