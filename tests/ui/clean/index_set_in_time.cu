//@ decided
// Variables of which a part is never set, and indices that need the other part.
struct Bits {
  unsigned low : 5, high : 27;
};
__global__ void last(int *a, int n) {
  int i;
  if (n > 3) i = n;
  else i = 0;
  a[i] = 1;
}
__global__ void member(int *a) {
  int2 at;
  at.x = threadIdx.x;
  a[at.x] = 1;
}
__global__ void bits(int *a) {
  Bits b;
  b.low = threadIdx.x;
  a[b.low] = 1;
}
__global__ void masked(int *a) {
  unsigned garbage;
  a[garbage & 31] = 1;
}
__global__ void counted(int *a) {
  Bits b;
  for (unsigned i = 0; i < 32; i++) {
    b.low = i;
    a[b.low] = 1;
  }
}
__global__ void of_the_last_round(int *a, int n) {
  int before;
  for (int i = 0; i < n; i++) {
    if (i > 0) a[before] = i;
    before = i;
  }
}
int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  last<<<1, 1>>>(a, 4);
  member<<<1, 32>>>(a);
  bits<<<1, 32>>>(a);
  masked<<<1, 32>>>(a);
  counted<<<1, 1>>>(a);
  of_the_last_round<<<1, 1>>>(a, 32);
  return cudaDeviceSynchronize();
}
