//@ undecided: 1
// A reset gives variables of the device their first values again.
__device__ int offset = 40;
__global__ void fill(int *a) { a[threadIdx.x + offset] = 1; }

int main() {
  int zero = 0, *a;
  cudaMemcpyToSymbol(offset, &zero, sizeof zero);
  cudaDeviceReset();
  cudaMalloc((void **)&a, 32 * sizeof(int));
  fill<<<1, 32>>>(a);
  cudaFree(a);
  return 0;
}
