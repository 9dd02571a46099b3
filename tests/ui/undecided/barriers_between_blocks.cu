//@ flags: -arch=sm_90
//@ undecided: 3
// What other threads write in front of a barrier is there behind it: within bounds, which the engine does not see and no replay may deny.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ __cluster_dims__(2, 1, 1) void of_the_cluster(int *a, int *b) {
  if (blockIdx.x == 1) b[0] = 3;
  cg::this_cluster().sync();
  a[b[0]] = 1;
}
__global__ __cluster_dims__(2, 1, 1) void in_assembly(int *a, int *b) {
  if (blockIdx.x == 1) b[0] = 3;
  asm volatile("barrier.cluster.arrive.aligned;\n" : :);
  asm volatile("barrier.cluster.wait.aligned;\n" : : : "memory");
  a[b[0]] = 1;
}
__global__ void of_the_block(int *a, int *b) {
  if (threadIdx.x == 1) b[0] = 3;
  asm volatile("bar.sync 0;\n" : :);
  a[b[0]] = 1;
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 3 * sizeof(int));
  cudaMemset(b, 0x7f, 3 * sizeof(int));
  of_the_cluster<<<2, 1>>>(a, b);
  in_assembly<<<2, 1>>>(a, b + 1);
  of_the_block<<<1, 2>>>(a, b + 2);
  return cudaDeviceSynchronize();
}
