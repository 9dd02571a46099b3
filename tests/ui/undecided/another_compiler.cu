//@ snapshot
// What clang answers otherwise than nvcc's own compiler leaves nothing plainly safe, and proves nothing.
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __clang__
  if (i < n) a[i] = 1;
#else
  if (i <= n) a[i] = 1;
#endif
}

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<1, 128>>>(a, 100);
  return cudaDeviceSynchronize();
}
