//@ flags: -gencode arch=compute_100f,code=sm_100
// Code of a family of architectures is seen, that of one architecture is not compiled.
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH_FAMILY_SPECIFIC__ == 1000
  if (i <= n) a[i] = 1; //~ oob-global proved
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_SPECIFIC__)
  a[i + 1000] = 2;
#endif
}

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<1, 128>>>(a, 100);
  return cudaDeviceSynchronize();
}
