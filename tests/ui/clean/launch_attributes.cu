//@ flags: -arch=sm_90
//@ decided
// Launches by `cudaLaunchKernelEx` with attributes: one whose grid is no multiple of the cluster is refused.
__global__ void clustered(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ __cluster_dims__(4) void contradicted(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ __cluster_dims__() void left_open(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void refused(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 128 * sizeof(int));
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
  cudaLaunchKernelEx(&config, left_open, a);
  left_open<<<8, 32>>>(a);
  config.gridDim = dim3(8);
  cudaLaunchKernelEx(&config, contradicted, a);
  config.gridDim = dim3(5);
  cudaLaunchKernelEx(&config, refused, a);
  return cudaDeviceSynchronize();
}
