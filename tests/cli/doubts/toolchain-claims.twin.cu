// Nothing rests on `toolchain-claims`.
//@ flags: -isystem system
//@ header: system/claim.h: static __device__ void claim(int i) { __builtin_assume(i < 64); }
#include <claim.h>
__global__ void k() {
  __shared__ int s[1024];
  int i = threadIdx.x;
  claim(i);
  s[i] = 1;
}
int main() { k<<<1, 1024>>>(); }
