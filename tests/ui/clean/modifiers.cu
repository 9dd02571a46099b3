// Loads and stores with modifiers of all kinds, in assembly: each within its array.
//@ flags: -arch=sm_80
//@ decided
__global__ void k(const int *a, int *c) {
  int i = threadIdx.x, x, y, z, w;
  asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(x) : "l"(a + i));
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a + 4 * (i / 4)));
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(y) : "l"(c + 31));
  asm volatile("ld.b32 %0, [%1+4];" : "=r"(z) : "l"(c + 30));
  asm volatile("st.release.sys.global.b32 [%0], %1;" ::"l"(c + 31), "r"(x) : "memory");
  asm volatile("st.global.L1::no_allocate.v2.u32 [%0], {%1, %2};" ::"l"(c + 2 * (i / 2)), "r"(y), "r"(z) : "memory");
  asm volatile("st.volatile.u8 [%0], %1;" ::"l"((char *)c + 127), "r"(w) : "memory");
}
int main() {
  int *a, *c;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  k<<<1, 32>>>(a, c);
  return cudaDeviceSynchronize();
}
