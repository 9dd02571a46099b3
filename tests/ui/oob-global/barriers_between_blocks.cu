//@ flags: -arch=sm_90
// Accesses behind barriers that go out of bounds whatever other threads write in front of them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ __cluster_dims__(2, 1, 1) void of_the_cluster(int *a, int *b) {
  if (blockIdx.x == 1) b[0] = 3;
  cg::this_cluster().sync();
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1; //~ oob-global proved
}
__global__ __cluster_dims__(2, 1, 1) void in_assembly(int *a, int *b) {
  if (blockIdx.x == 1) b[0] = 3;
  asm volatile("barrier.cluster.arrive.aligned;\n" : :);
  asm volatile("barrier.cluster.wait.aligned;\n" : : : "memory");
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1; //~ oob-global proved
}
__global__ void of_the_block(int *a, int *b) {
  if (threadIdx.x == 1) b[0] = 32;
  asm volatile("bar.sync 0;\n" : :);
  a[31 + threadIdx.x] = 1; //~ oob-global proved
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 3 * sizeof(int));
  cudaMemset(b, 0, 3 * sizeof(int));
  of_the_cluster<<<2, 17>>>(a, b);
  in_assembly<<<2, 17>>>(a, b + 1);
  of_the_block<<<1, 2>>>(a, b + 2);
  return cudaDeviceSynchronize();
}
