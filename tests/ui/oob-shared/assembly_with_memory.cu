// Addresses of shared memory as numbers of 32 bits, with one place too many.
//@ flags: -arch=sm_90
__device__ unsigned shared_address(const void *p) {
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}
__global__ void k(const int4 *a, int *c) {
  __shared__ int4 s[32];
  __shared__ int t[32];
  unsigned to = (unsigned)__cvta_generic_to_shared(s) + 16 * (threadIdx.x + 1);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + threadIdx.x) : "memory"); //~ oob-shared proved
  asm volatile("st.shared.u32 [%0+4], %1;" ::"r"(shared_address(t) + 4 * threadIdx.x), "r"(1) : "memory"); //~ oob-shared proved
  unsigned x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "l"(__cvta_generic_to_shared(&t[threadIdx.x]) - 4)); //~ oob-shared proved
  c[threadIdx.x] = (int)x;
}
int main() {
  int4 *a; int *c;
  cudaMalloc(&a, 32 * sizeof(int4));
  cudaMalloc(&c, 32 * sizeof(int));
  k<<<1, 32>>>(a, c);
  return cudaDeviceSynchronize();
}
