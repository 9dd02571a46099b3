//@ snapshot
//@ decided
// One pointer is freed twice, and one allocation through two pointers.
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  fill<<<1, 32>>>(a);
  fill<<<1, 32>>>(b);
  int *same = b;
  cudaFree(a);
  cudaFree(a); //~ double-free proved
  cudaFree(b);
  cudaFree(same); //~ double-free proved
  return cudaDeviceSynchronize();
}
