//@ flags: -arch=sm_90
//@ snapshot
// A kernel that declares its threads runs so many, whatever its launch says.
__global__ __block_size__((128, 1, 1)) void k(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  k<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
