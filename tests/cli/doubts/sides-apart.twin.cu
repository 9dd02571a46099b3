// Nothing rests on `sides-apart`.
__global__ void k(int *a) {
  a[threadIdx.x] = 1;
}
__global__ void clear(int *d) {
  d[0] = 0;
}
void run(int *n, int *d) {
  if (*n < 1 || *n > 1024) return;
  int m = *n;
  int *a;
  if (cudaMalloc(&a, 4 * m) != cudaSuccess) return;
  clear<<<1, 1>>>(d);
  k<<<1, m>>>(a);
}
