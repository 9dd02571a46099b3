//@ snapshot
// What clang answers otherwise than nvcc's own compiler leaves nothing plainly safe, and proves nothing.
#ifdef __clang__
#define WITHIN(i, n) ((i) < (n))
#else
#define WITHIN(i, n) ((i) <= (n))
#endif
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (WITHIN(i, n)) a[i] = 1;
}

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<1, 128>>>(a, 100);
  return cudaDeviceSynchronize();
}
