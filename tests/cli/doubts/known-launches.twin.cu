// Nothing rests on `known-launches`.
__global__ void k(int *a) {
  __shared__ int s[1024];
  s[threadIdx.x] = 1;
}
int main() {
  int *a;
  if (cudaMalloc(&a, 4 * 64) != cudaSuccess) return 1;
  k<<<1, 64>>>(a);
}
