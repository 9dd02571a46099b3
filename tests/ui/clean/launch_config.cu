//@ decided
// Launches by `cudaLaunchKernelEx` and `cudaLaunchKernelExC`, within bounds.
__global__ void typed(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void plain(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void wide(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  int *a, n = 32;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  cudaLaunchKernelEx(&config, typed, a, 32);
  void *arguments[] = {&a, &n};
  cudaLaunchKernelExC(&config, (const void *)plain, arguments);
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  cudaLaunchKernelEx(&config, wide, a);
  return cudaDeviceSynchronize();
}
