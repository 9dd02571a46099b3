//@ flags: -arch=sm_90a
// `-arch=sm_90a` compiles the device code twice, for compute_90 and for compute_90a: each branch is some GPU's code.
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if (i <= n) a[i] = 1; //~ oob-global proved
#else
  if (i < n) a[i] = 2;
#endif
#if defined(__CUDA_ARCH_SPECIFIC__) && __CUDA_ARCH_SPECIFIC__ == 900
  if (i == 0) a[n] = 3; //~ oob-global proved
#endif
}

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<1, 128>>>(a, 100);
  return cudaDeviceSynchronize();
}
