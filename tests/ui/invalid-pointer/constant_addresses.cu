// A number is no address of anything that a kernel may use.
__device__ unsigned long table = 0x1000;
__global__ void reads(int *a) { a[threadIdx.x] = *(int *)0x87654320; } //~ invalid-pointer proved
__global__ void writes() { ((volatile int *)0x87654320)[threadIdx.x] = 1; } //~ invalid-pointer proved
__global__ void through_a_variable(int *a) {
  unsigned long at = 0x7654320;
  a[threadIdx.x] = ((int *)at)[threadIdx.x]; //~ invalid-pointer proved
}
int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  reads<<<1, 32>>>(a);
  writes<<<1, 32>>>();
  through_a_variable<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
