// What programs ask of their device lies in the ranges of the programming guide; a property of one device is the same
// at each query. The twin in `oob-global/` goes wrong on some device.
//@ decided
#include <cstdlib>
__global__ void sums(float *partial, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) partial[blockIdx.x] = i < n ? x[i] : 0;
}
__global__ void warps(int *x) { x[threadIdx.x / 32] = 1; }
__global__ void resident(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void fill(float *x, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  cudaDeviceProp prop;
  if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return 1;
  float *x, *p;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&p, 4 * prop.multiProcessorCount * sizeof(float));
  int blocks;
  cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
  sums<<<4 * blocks, prop.maxThreadsPerBlock>>>(p, x, n);

  int dev, most, warp, count, of_each, grid, block;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, dev);
  cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, dev);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, dev);
  int *w, *y;
  cudaMalloc(&w, most / warp * sizeof(int));
  warps<<<1, most>>>(w);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, resident, 256, 0);
  cudaMalloc(&y, count * 2048 * sizeof(int));
  resident<<<count * of_each, 256>>>(y);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0);
  fill<<<(n + block - 1) / block, block>>>(x, n);

  size_t free, total;
  cudaMemGetInfo(&free, &total);
  float *z;
  cudaMalloc(&z, total);
  fill<<<(free / 4 + 255) / 256, 256>>>(z, free / 4);
}
