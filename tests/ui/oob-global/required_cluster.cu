//@ flags: -arch=sm_90
// Kernels that are made to require a cluster: the launch's grid counts blocks, and is a multiple of the cluster.
__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterWidth, 2);
  cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterHeight, 1);
  cudaFuncSetAttribute(k, cudaFuncAttributeRequiredClusterDepth, 1);
  k<<<4, 32>>>(a);
  return cudaDeviceSynchronize();
}
