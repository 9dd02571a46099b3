//@ flags: -arch=sm_90
//@ snapshot
// What launches run is not known where an attribute says so that is not modelled, or where the documents leave it open.
__global__ void unmodelled(int *a) { if (threadIdx.x < 32) a[blockIdx.x * 32 + threadIdx.x] = 1; }
__global__ __block_size__((64, 1, 1)) void otherwise(int *a) { a[blockIdx.x * 64 + threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaLaunchAttribute with = {};
  with.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  with.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.attrs = &with;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, unmodelled, a);
  otherwise<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
