// Rests on `claims` in the lines that say so.
__global__ void k() {
  __shared__ int s[64];
  int i = threadIdx.x;
  __builtin_assume(i < 64);
  s[i] = 1;  //~
}
int main() { k<<<1, 1024>>>(); }
