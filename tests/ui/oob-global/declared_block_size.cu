//@ flags: -arch=sm_90
// A kernel that declares its threads runs so many, whether its launch says one or all of them.
#include <cstdlib>
__global__ __block_size__((128, 1, 1)) void k(int *a) { a[threadIdx.x] = 1; } //~ oob-global proved
__global__ __block_size__((128, 1, 1)) void left_out(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved
#define SIZES (8, 4, 2)
__block_size__(SIZES) __global__ void by_macro(int *a) { a[threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z)] = 1; } //~ oob-global proved
template <int Warps> __global__ __block_size__((32 * Warps, 1, 1)) void instance(int *a) { a[threadIdx.x] = 1; } //~ oob-global proved
__global__ __block_size__((128, 1, 1)) void repeated(int *a) { a[threadIdx.x] = 1; } //~ oob-global proved
__global__ __block_size__((128, 1, 1)) void by_input(int *a) { a[threadIdx.x] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  int *a, *b, *c, *d, *e;
  cudaMalloc(&a, 64 * sizeof(int));
  k<<<1, 1>>>(a);
  cudaMalloc(&b, 383 * sizeof(int));
  left_out<<<3>>>(b);
  cudaMalloc(&c, 63 * sizeof(int));
  by_macro<<<1, 1>>>(c);
  cudaMalloc(&d, 95 * sizeof(int));
  instance<2><<<1, 1>>>(d);
  instance<3><<<1>>>(d);
  cudaMalloc(&e, 127 * sizeof(int));
  repeated<<<1, 128>>>(e);
  if (argc > 1) by_input<<<1, atoi(argv[1])>>>(c);
  return cudaDeviceSynchronize();
}
