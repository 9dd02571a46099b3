// Nothing rests on `claims`.
__global__ void k() {
  __shared__ int s[1024];
  int i = threadIdx.x;
  __builtin_assume(i < 64);
  s[i] = 1;
}
int main() { k<<<1, 1024>>>(); }
