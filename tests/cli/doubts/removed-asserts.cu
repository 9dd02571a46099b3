// Rests on `removed-asserts` in the lines that say so.
//@ flags: -DNDEBUG
#include <cassert>
__global__ void k() {
  __shared__ int s[64];
  int i = threadIdx.x;
  assert(i < 64);
  s[i] = 1;  //~
}
int main() { k<<<1, 1024>>>(); }
