// Rests on `argc` in the lines that say so.
__global__ void k(int *a, int n) {
  a[threadIdx.x + n] = 1;  //~
}
int main(int argc, char **) {
  int *a;
  if (argc > 64) return 1;
  cudaMalloc(&a, 4 * 128);
  k<<<1, 64>>>(a, argc - 1);
}
