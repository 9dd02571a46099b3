//@ flags: -arch=sm_90
//@ decided
// What a block finds of its cluster: its rank, the cluster's number, how many there are.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ __cluster_dims__(2, 1, 1) void rank(int *a) { a[cg::this_cluster().block_rank()] = 1; }
__global__ __block_size__((32, 1, 1), (2, 1, 1)) void size(int *a) { a[cg::this_cluster().num_blocks() - 1] = 1; }
__global__ __cluster_dims__(2, 1, 1) void number(int *a) { a[blockIdx.x / cg::this_cluster().num_blocks()] = 1; }
__global__ void alone(int *a) { a[cg::this_cluster().num_blocks() + cg::this_cluster().block_rank()] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 2 * sizeof(int));
  rank<<<6, 1>>>(a);
  size<<<3>>>(a);
  number<<<4, 1>>>(a);
  alone<<<8, 1>>>(a);
  return cudaDeviceSynchronize();
}
