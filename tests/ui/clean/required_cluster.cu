//@ flags: -arch=sm_90
//@ decided
// Kernels that are made to require a cluster: a launch whose grid is no multiple of it is refused.
__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void refused(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 128 * sizeof(int));
  cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterWidth, 2);
  cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterHeight, 1);
  cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterDepth, 1);
  cudaFuncSetAttribute(refused, cudaFuncAttributeRequiredClusterWidth, 2);
  cudaFuncSetAttribute(refused, cudaFuncAttributeRequiredClusterHeight, 1);
  cudaFuncSetAttribute(refused, cudaFuncAttributeRequiredClusterDepth, 1);
  k<<<4, 32>>>(a);
  refused<<<5, 32>>>(a);
  return cudaDeviceSynchronize();
}
