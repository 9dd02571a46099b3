//@ decided
// Numbers that are used as addresses where nothing is read or written, and one that is an address after all.
__global__ void compares(int *a) {
  if (a != (int *)0x87654320) a[threadIdx.x] = 1;
}
__global__ void never(int *a, int n) {
  if (n > 32) a = (int *)0x1000;
  a[threadIdx.x] = n;
}
__global__ void again(int *a) {
  unsigned long at = (unsigned long)a;
  ((int *)at)[threadIdx.x] = 2;
}
int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  compares<<<1, 32>>>(a);
  never<<<1, 32>>>(a, 32);
  again<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
