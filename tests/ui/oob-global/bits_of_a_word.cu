// Bit-fields of words of which a part is never set: what goes wrong does so by its bounds.
struct Bits {
  unsigned low : 5, high : 27;
};
__global__ void bits(int *a, int n) {
  Bits b;
  b.high = threadIdx.x + n;
  a[b.high] = 1; //~ oob-global possible
}
__global__ void counted(int *a, int n) {
  Bits b;
  for (int i = 0; i < n; i++) {
    b.high = i;
    a[b.high] = 1; //~ oob-global possible
  }
}
int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  bits<<<1, 32>>>(a, 1);
  counted<<<1, 1>>>(a, 33);
  return cudaDeviceSynchronize();
}
