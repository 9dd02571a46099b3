// Inline assembly stores through a number that was read from memory: what that leads to is not what it was, in the same kernel either.
//@ undecided: 2
__global__ void k(int *a, unsigned long long *where, int *limit) {
  unsigned long long w = where[0];
  asm volatile("{ .reg .u32 t; mov.u32 t, 100; st.global.u32 [%0], t; st.global.u32 [%0+4], t; }" :: "l"(w) : "memory");
  a[limit[0]] = 1;
}
__global__ void l(int *a, int *limit) { a[limit[0]] = 1; }

int main() {
  int *a, *d;
  unsigned long long *w;
  int four[2] = {4, 4};
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&d, 2 * sizeof(int));
  cudaMalloc(&w, 8);
  unsigned long long at = (unsigned long long)d;
  cudaMemcpy(w, &at, 8, cudaMemcpyHostToDevice);
  cudaMemcpy(d, four, 8, cudaMemcpyHostToDevice);
  k<<<1, 1>>>(a, w, d);
  l<<<1, 1>>>(a, d);
  return cudaDeviceSynchronize();
}
