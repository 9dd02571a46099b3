// Nothing rests on `device-allocation`.
__global__ void k(int *a) {
  a[threadIdx.x] = 1;
}
int main() {
  int *a;
  if (cudaMalloc(&a, 4 * 64) != cudaSuccess) return 1;
  k<<<1, 64>>>(a);
}
