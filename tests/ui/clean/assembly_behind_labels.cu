//@ decided
// Labels of any form, blocks and declarations in assembly, within bounds.
__global__ void unique(int *a) {
  asm volatile("L%=: st.global.u32 [%0], %1;" ::"l"(a + threadIdx.x), "r"(1) : "memory");
}
__global__ void dollars(int *a) {
  asm volatile("$L__BB0_1: $L__BB0_2: st.global.u32 [%0], %1;" ::"l"(a + threadIdx.x), "r"(1) : "memory");
}
__global__ void pasted(int *a) {
  asm volatile("L%2%=_x: /* : */ st.global.u32 [%0], %1;" ::"l"(a + threadIdx.x), "r"(1), "n"(7) : "memory");
}
// The predicate of the outer block holds, that of the inner one does not.
__global__ void predicates(int *a, int yes, int no) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0;\n" "{ .reg .pred p; setp.ne.s32 p, %2, 0; }\n" "@p st.global.u32 [%0], 1; }" ::"l"(a + threadIdx.x), "r"(yes), "r"(no) : "memory");
}
__global__ void registers(int *a, int *b) {
  asm volatile("{ .reg .u64 q<2>; mov.u64 q1, %0;\n" "{ .reg .u64 q1; mov.u64 q1, %1; }\n" "st.global.u32 [q1], 1; }" ::"l"(a + threadIdx.x), "l"(b) : "memory");
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 33 * sizeof(int));
  unique<<<1, 32>>>(a);
  dollars<<<1, 32>>>(a);
  pasted<<<1, 32>>>(a);
  predicates<<<1, 32>>>(a, 1, 0);
  registers<<<1, 32>>>(a, b);
  return cudaDeviceSynchronize();
}
