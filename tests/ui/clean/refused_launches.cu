// What no launch executes is not out of bounds: too much dynamic shared memory for what was asked for, too many threads.
//@ decided
extern __shared__ int tile[];
__global__ void wide(int *a, int n) { tile[threadIdx.x] = n; if (threadIdx.x <= n) a[threadIdx.x] = tile[0]; }
__global__ void lowered(int *a, int n) { tile[threadIdx.x] = n; if (threadIdx.x <= n) a[threadIdx.x] = tile[0]; }
__global__ void __launch_bounds__(128) few(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 1; }
__global__ void granted(int *a, int n) { tile[threadIdx.x] = n; if (threadIdx.x < n) a[threadIdx.x] = tile[0]; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  wide<<<1, 65, 64 << 10>>>(a, 64);
  cudaFuncSetAttribute(lowered, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  lowered<<<1, 65, 2048>>>(a, 64);
  few<<<1, 256>>>(a, 64);
  cudaFuncSetAttribute(granted, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
  granted<<<1, 65, 64 << 10>>>(a, 64);
  return cudaDeviceSynchronize();
}
