// What inline assembly accesses: copies, sums, loads and stores with modifiers and vectors.
//@ flags: -arch=sm_90
__global__ void copied(const int *a, int *c, int n) {
  __shared__ int s[32];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;\n" ::"r"(to), "l"(a + threadIdx.x + 100) : "memory"); //~ oob-global proved
  asm volatile("cp.async.wait_group 0;\n" ::: "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(c + 200), "r"(1) : "memory"); //~ oob-global proved
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(c + threadIdx.x + 1), "r"(1) : "memory"); //~ oob-global proved
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.u32 [%0], %1; }" ::"l"(c + 32), "r"(1), "r"(n) : "memory"); //~ oob-global proved
  float x, y;
  asm volatile("{ ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%2+8]; }" : "=f"(x), "=f"(y) : "l"(a + 2 * threadIdx.x)); //~ oob-global proved
  asm volatile("st.global.cg.v2.f32 [%0], {%1, %2}; membar.gl;" ::"l"(c + 31), "f"(x), "f"(y) : "memory"); //~ oob-global proved
  c[threadIdx.x] = s[threadIdx.x] + (int)old;
}

int main() {
  int *a, *c;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  copied<<<1, 32>>>(a, c, 1);
  return cudaDeviceSynchronize();
}
