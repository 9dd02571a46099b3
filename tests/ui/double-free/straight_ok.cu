//@ decided
// Freed once each; a null pointer may be freed, and a new allocation in the same variable.
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a, *b = nullptr;
  cudaMalloc(&a, 32 * sizeof(int));
  fill<<<1, 32>>>(a);
  cudaFree(a);
  a = nullptr;
  cudaFree(a);
  cudaFree(b);
  cudaMalloc(&a, 32 * sizeof(int));
  fill<<<1, 32>>>(a);
  cudaFree(a);
  return cudaDeviceSynchronize();
}
