// Nothing rests on `types-apart`.
__global__ void k(int *a) {
  a[threadIdx.x] = 1;
}
void run(int *n, float *x) {
  if (*n < 1 || *n > 1024) return;
  int m = *n;
  int *a;
  if (cudaMalloc(&a, 4 * m) != cudaSuccess) return;
  x[0] = 1.0f;
  k<<<1, m>>>(a);
}
