// Rests on `calls-succeed` in the lines that say so.
__global__ void k(int *a, int n) {
  a[threadIdx.x + n] = 1;  //~
}
int main() {
  int *a, *d, n = 1000;
  if (cudaMalloc(&a, 4 * 64) != cudaSuccess || cudaMalloc(&d, 4) != cudaSuccess) return 1;
  cudaMemset(d, 0, 4);
  cudaMemcpy(&n, d, 4, cudaMemcpyDeviceToHost);
  k<<<1, 64>>>(a, n);
}
