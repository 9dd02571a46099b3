//@ flags: -arch=sm_90a
//@ undecided: 4
// Copies of tensors, sums over several devices and matrices in descriptors: each counts with what it does, none is decided.
#include <cstdint>
#include <cuda.h>
__global__ void copied(const __grid_constant__ CUtensorMap map, float *c) {
  __shared__ alignas(128) float s[32];
  __shared__ alignas(8) uint64_t arrived;
  unsigned to = (unsigned)__cvta_generic_to_shared(s), b = (unsigned)__cvta_generic_to_shared(&arrived);
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(to), "l"(&map), "r"(0), "r"(b) : "memory");
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&map), "r"(0), "r"(to) : "memory");
  c[threadIdx.x] = s[threadIdx.x];
}
__global__ void multiplied(uint64_t a, uint64_t b, float *c) {
  float d[4] = {};
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b));
  c[threadIdx.x] = d[0];
}
__global__ void summed(float *everywhere, float *c) {
  float x;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(x) : "l"(everywhere) : "memory");
  c[threadIdx.x] = x;
}
int main() {
  float *c;
  cudaMalloc(&c, 128 * sizeof(float));
  CUtensorMap map = {};
  copied<<<1, 32>>>(map, c);
  multiplied<<<1, 128>>>(0, 0, c);
  summed<<<1, 32>>>(c, c);
  return cudaDeviceSynchronize();
}
