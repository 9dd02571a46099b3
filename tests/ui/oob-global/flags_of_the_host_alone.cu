//@ flags: -Xcompiler -funsigned-char,-fpack-struct
// nvcc gives flags of layout to the host's compiler alone: a plain char of the device keeps its sign, and its structures their padding.
struct Pair {
  char c;
  double d;
};
__global__ void sign(int *a, int n) {
  char c = (char)(n + 200);
  a[c] = 1; //~ oob-global proved
}
__global__ void padding(Pair *p) { p[threadIdx.x].d = 1; } //~ oob-global proved

int main() {
  int *a;
  Pair *p;
  cudaMalloc(&a, 256 * sizeof(int));
  cudaMalloc(&p, 16 * sizeof(Pair));
  sign<<<1, 1>>>(a, 0);
  padding<<<1, 16>>>(p);
  return cudaDeviceSynchronize();
}
