//@ flags: -arch=sm_90
//@ snapshot
// The attribute behind `__block_size__`, written without the toolkit's macro, is not read: what is safe is so under an assumption.
__global__ __attribute__((block_size((128, 1, 1)))) void k(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  k<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
