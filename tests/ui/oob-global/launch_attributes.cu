//@ flags: -arch=sm_90
// Launches by `cudaLaunchKernelEx` with attributes: a cluster changes which grids run, not which blocks.
__global__ void clustered(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved
__global__ void alone(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  cudaLaunchAttribute with[2] = {};
  with[0].id = cudaLaunchAttributeClusterDimension;
  with[0].val.clusterDim.x = 2;
  with[0].val.clusterDim.y = with[0].val.clusterDim.z = 1;
  with[1].id = cudaLaunchAttributePriority;
  with[1].val.priority = 0;
  cudaLaunchConfig_t config = {};
  config.attrs = with;
  config.numAttrs = 2;
  config.blockDim = dim3(32);
  config.gridDim = dim3(4);
  cudaLaunchKernelEx(&config, clustered, a);
  config.numAttrs = 0;
  config.gridDim = dim3(5);
  cudaLaunchKernelEx(&config, alone, a);
  return cudaDeviceSynchronize();
}
