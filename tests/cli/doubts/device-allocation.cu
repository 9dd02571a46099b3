// Rests on `device-allocation` in the lines that say so.
__global__ void k(int *a) {
  a[threadIdx.x] = 1;  //~
}
int main() {
  int *a;
  cudaMalloc(&a, 4 * 64);
  k<<<1, 64>>>(a);
}
