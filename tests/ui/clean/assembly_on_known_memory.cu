// Inline assembly that computes, or reads, changes nothing.
//@ decided
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void k(int *a, const int *limit, unsigned long long w) {
  unsigned long long x;
  asm("{ .reg .u64 t; add.u64 t, %1, 1; mov.u64 %0, t; }" : "=l"(x) : "l"(w));
  a[limit[0]] = (int)x + table[1];
}

int main() {
  int *a, *d;
  int four[2] = {4, 4};
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&d, 2 * sizeof(int));
  cudaMemcpy(d, four, 8, cudaMemcpyHostToDevice);
  k<<<1, 1>>>(a, d, 7);
  return cudaDeviceSynchronize();
}
