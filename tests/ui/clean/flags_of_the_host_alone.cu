//@ flags: -Xcompiler -funsigned-char,-fpack-struct
//@ decided
// nvcc gives flags of layout to the host's compiler alone: a plain char of the device keeps its sign, and its structures their padding.
struct Pair {
  char c;
  double d;
};
__global__ void sign(int *a, int n) {
  unsigned char c = (unsigned char)(n + 200);
  a[c] = 1;
}
__global__ void padding(Pair *p) { p[threadIdx.x].d = 1; }

int main() {
  int *a;
  Pair *p;
  cudaMalloc(&a, 256 * sizeof(int));
  cudaMalloc(&p, 16 * 16);
  sign<<<1, 1>>>(a, 0);
  padding<<<1, 16>>>(p);
  return cudaDeviceSynchronize();
}
