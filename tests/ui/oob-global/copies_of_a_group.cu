// A group copies more than its source has, by cooperative groups and by the library's barrier.
//@ flags: -arch=sm_90 -std=c++17
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void group(const int *a, int *c) {
  __shared__ int s[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, a + 1, sizeof(int) * 128); //~ oob-global proved
  cg::wait(block);
  c[threadIdx.x] = s[threadIdx.x];
}
__global__ void by_a_barrier(const int *a, int *c) {
  __shared__ int s[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&arrived, block.size());
  block.sync();
  cuda::memcpy_async(block, s, a + 1, sizeof(int) * 128, arrived); //~ oob-global proved
  arrived.arrive_and_wait();
  c[threadIdx.x] = s[threadIdx.x];
}
int main() {
  int *a, *c;
  cudaMalloc(&a, 128 * sizeof(int));
  cudaMalloc(&c, 128 * sizeof(int));
  group<<<1, 128>>>(a, c);
  by_a_barrier<<<1, 128>>>(a, c);
  return cudaDeviceSynchronize();
}
