//@ flags: -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
// A build for two architectures whose code differs: each is checked, and a place of both counts as the worse of them.
__device__ int last(int n) {
#if __CUDA_ARCH__ >= 900
  return n;
#else
  return n - 1;
#endif
}
__global__ void both(int *a, int n) {
  if (threadIdx.x == 0) a[last(n)] = 1; //~ oob-global proved
}
__global__ void newer(int *a, int n) {
#if __CUDA_ARCH__ >= 900
  a[threadIdx.x] = n; //~ oob-global proved
#endif
}
__global__ void older(int *a, int n) {
#if __CUDA_ARCH__ < 900
  a[threadIdx.x] = n; //~ oob-global proved
#endif
}

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  both<<<1, 32>>>(a, 100);
  newer<<<1, 101>>>(a, 100);
  older<<<1, 101>>>(a, 100);
  return cudaDeviceSynchronize();
}
