//@ undecided: 5
// What is not understood of assembly counts: code behind branches, registers of another statement, and what is no plain access.
__global__ void behind_a_branch(int *a, int n) {
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 0; @p bra D%=;\n"
               "L%=: st.global.u32 [%0], %1; D%=: }" ::"l"(a + n), "r"(n) : "memory");
}
__global__ void behind_an_exit(int *a, int n) {
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 31; @p exit;\n st.global.u32 [%0], %1; }" ::"l"(a + threadIdx.x), "r"(n) : "memory");
}
// Another block's variable of the same name.
__global__ void two_statements(int *a, int *b) {
  asm volatile("{ .reg .u64 q; mov.u64 q, %0;\n {" ::"l"(b + 64) : "memory");
  asm volatile(".reg .u64 q; mov.u64 q, %0; } st.global.u32 [q], 1; }" ::"l"(a) : "memory");
}
__global__ void local_window(int *a) {
  int x;
  asm volatile("ld.local.u32 %0, [%1];" : "=r"(x) : "l"(a));
  asm volatile("L%=: { st.global.u32 [%0], %1; }" ::"l"(a), "r"(x) : "memory");
}
__global__ void cut(int *a) {
  asm volatile("{ .reg .u32 b; .reg .u64 q; cvt.u32.u64 b, %0; cvt.u64.u32 q, b; st.global.u32 [q], 1; }" ::"l"(a) : "memory");
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  behind_a_branch<<<1, 32>>>(a, 40);
  behind_an_exit<<<1, 33>>>(a, 40);
  two_statements<<<1, 32>>>(a, b);
  local_window<<<1, 1>>>(a);
  cut<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
