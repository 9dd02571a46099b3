//@ flags: -arch=sm_90
//@ snapshot
// What launches run is not known where an attribute says so that is not modelled, or where their attributes could not be read.
__global__ void unmodelled(int *a) { if (threadIdx.x < 32) a[blockIdx.x * 32 + threadIdx.x] = 1; }
__global__ void unread(int *a) { if (threadIdx.x < 32) a[blockIdx.x * 32 + threadIdx.x] = 1; }

int main(int argc, char **) {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaLaunchAttribute with[2] = {};
  with[0].id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  with[0].val.deviceUpdatableKernelNode.deviceUpdatable = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  config.attrs = with;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, unmodelled, a);
  config.numAttrs = argc;
  cudaLaunchKernelEx(&config, unread, a);
  return cudaDeviceSynchronize();
}
