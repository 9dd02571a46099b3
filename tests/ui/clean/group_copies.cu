// What groups of threads copy in the background, and blocks that are copied as a whole, within bounds.
//@ flags: -arch=sm_90
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void group(const int *a, int *c) {
  __shared__ int s[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, a, sizeof(int) * 128);
  cg::wait(block);
  c[threadIdx.x] = s[threadIdx.x];
}
__global__ void bulk(const int *a, int *c) {
  __shared__ alignas(128) int s[128];
  __shared__ unsigned long long arrived;
  unsigned b = (unsigned)__cvta_generic_to_shared(&arrived), to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(512) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(a), "r"(512), "r"(b) : "memory");
  }
  __syncthreads();
  c[threadIdx.x] = s[threadIdx.x];
}
int main() {
  int *a, *c;
  cudaMalloc(&a, 128 * sizeof(int));
  cudaMalloc(&c, 128 * sizeof(int));
  group<<<1, 128>>>(a, c);
  bulk<<<1, 128>>>(a, c);
  return cudaDeviceSynchronize();
}
