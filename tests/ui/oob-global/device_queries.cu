// Buffers that are too small on devices with many multiprocessors, with more than 192 KiB of shared memory for a
// block, or with free memory that does not divide evenly. The program of this name in `clean/` asks the same.
__global__ void sums(float *partial) {
  if (threadIdx.x == 0) partial[blockIdx.x] = 1;  //~ oob-global proved
}
__global__ void warps(int *x) {
  x[threadIdx.x / 32] = 1;  //~ oob-global proved
}
__global__ void fill(float *x, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;  //~ oob-global proved
}
__global__ void shared(float *x, int n) {
  extern __shared__ float tile[];
  tile[n - 1] = 1;
  x[n / 16384] = tile[0];  //~ oob-global proved
}
int main() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  float *p;
  cudaMalloc(&p, 256 * sizeof(float));
  sums<<<4 * prop.multiProcessorCount, 256>>>(p);

  int most, warp;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);
  cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
  int *w;
  cudaMalloc(&w, (most / warp - 1) * sizeof(int));
  warps<<<1, most>>>(w);

  int bytes;
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  float *x;
  cudaMalloc(&x, 3 * sizeof(float));
  shared<<<1, 1, bytes>>>(x, bytes / 4);

  size_t free, total;
  cudaMemGetInfo(&free, &total);
  size_t n = free / 12;
  float *z;
  cudaMalloc(&z, n * sizeof(float));
  fill<<<(n + 255) / 256, 256>>>(z, n + 1);
}
