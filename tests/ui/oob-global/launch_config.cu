// Launches by `cudaLaunchKernelEx` and `cudaLaunchKernelExC`, with what their configuration says.
__global__ void typed(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void plain(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void wide(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a, n = 64;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  cudaLaunchKernelEx(&config, typed, a, 64);
  void *arguments[] = {&a, &n};
  cudaLaunchKernelExC(&config, (const void *)plain, arguments);
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  cudaLaunchKernelEx(&config, wide, a);
  return cudaDeviceSynchronize();
}
