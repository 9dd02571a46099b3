//@ undecided: 2
// What inline assembly accesses counts, though it is not followed where it is more than one load or store.
__global__ void copied(const int *a, int *c) {
  __shared__ int s[32];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;\n" ::"r"(to), "l"(a + threadIdx.x + 100) : "memory");
  asm volatile("cp.async.wait_group 0;\n" ::: "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(c + 200), "r"(1) : "memory");
  c[threadIdx.x] = s[threadIdx.x];
}

int main() {
  int *a, *c;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  copied<<<1, 32>>>(a, c);
  return cudaDeviceSynchronize();
}
