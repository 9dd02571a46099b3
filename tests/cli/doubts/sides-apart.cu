// Rests on `sides-apart` in the lines that say so.
__global__ void k(int *a) {
  a[threadIdx.x] = 1;  //~
}
__global__ void clear(int *d) {
  d[0] = 0;
}
void run(int *n, int *d) {
  if (*n < 1 || *n > 1024) return;
  int *a;
  if (cudaMalloc(&a, 4 * *n) != cudaSuccess) return;
  clear<<<1, 1>>>(d);
  k<<<1, *n>>>(a);
}
