// What inline assembly accesses, within bounds: addresses of shared memory as numbers, predicates, registers of the text's own.
//@ flags: -arch=sm_90
//@ decided
__device__ unsigned shared_address(const void *p) {
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}
__global__ void copied(const int4 *a, int *c, int n) {
  __shared__ int4 s[32];
  __shared__ int t[64];
  unsigned to = (unsigned)__cvta_generic_to_shared(s) + 16 * threadIdx.x;
  int in = threadIdx.x < n;
  asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.cg.shared.global [%0], [%1], 16;\n}\n" ::"r"(to), "l"(a + threadIdx.x), "r"(in) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(a + (in ? threadIdx.x : 1000)), "r"(in ? 16 : 0) : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_all;\n" ::: "memory");
  __syncthreads();
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_address(t) + 4 * threadIdx.x), "r"(1) : "memory");
  asm volatile("st.shared.u32 [%0+128], %1;" ::"l"(__cvta_generic_to_shared(&t[threadIdx.x])), "r"(1) : "memory");
  asm volatile("{ .reg .u32 b; add.u32 b, %0, 4; red.shared.add.u32 [b], 1; }" ::"r"(shared_address(&t[0])) : "memory");
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(c + threadIdx.x), "r"(1) : "memory");
  c[threadIdx.x] = s[threadIdx.x].x + t[threadIdx.x] + (int)old;
}

int main() {
  int4 *a; int *c;
  cudaMalloc(&a, 20 * sizeof(int4));
  cudaMalloc(&c, 32 * sizeof(int));
  copied<<<1, 32>>>(a, c, 20);
  return cudaDeviceSynchronize();
}
