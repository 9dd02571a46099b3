//@ undecided: 1
// A loop in assembly comes back to its load with another address, beyond the buffer.
__global__ void k(int *a) {
  asm volatile("{ .reg .u64 p; .reg .u32 t, n; .reg .pred q; mov.u64 p, %0; mov.u32 n, 0;\n"
               "again: ld.global.u32 t, [p]; add.u64 p, p, 4; add.u32 n, n, 1; setp.lt.u32 q, n, 64; @q bra again; }" ::"l"(a)
               : "memory");
}

int main() {
  int *a;
  cudaMalloc(&a, 4 * sizeof(int));
  k<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
