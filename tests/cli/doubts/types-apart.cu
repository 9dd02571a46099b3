// Rests on `types-apart` in the lines that say so.
__global__ void k(int *a) {
  a[threadIdx.x] = 1;  //~
}
void run(int *n, float *x) {
  if (*n < 1 || *n > 1024) return;
  int *a;
  if (cudaMalloc(&a, 4 * *n) != cudaSuccess) return;
  x[0] = 1.0f;
  k<<<1, *n>>>(a);
}
