// Launches that ask for more than their kernels may have do nothing: the index stays what it was.
//@ decided
__global__ void fix(int *p) { *p = 0; }
__global__ void __launch_bounds__(32) fix_few(int *p) { if (threadIdx.x == 0) *p = 0; }
__global__ void use(int *out, const int *p) { out[*p] = 1; } //~ oob-global proved
__global__ void use_too(int *out, const int *p) { out[*p] = 1; } //~ oob-global proved

int main() {
  int *p, *out, h = 100;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(p, &h, sizeof(int), cudaMemcpyHostToDevice);
  fix<<<1, 1, 64 << 10>>>(p);
  use<<<1, 1>>>(out, p);
  fix_few<<<1, 64>>>(p);
  use_too<<<1, 1>>>(out, p);
  return cudaDeviceSynchronize();
}
