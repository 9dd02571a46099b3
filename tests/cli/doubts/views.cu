// Rests on `views` in the lines that say so.
//@ flags: -std=c++17
//@ toml: [entry]
//@ toml: functions = ["op_*"]
#include <cuda/std/span>
using cuda::std::span;
__global__ void k(span<float> x) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size()) x.data()[i] = 2;  //~
}
void op_k(span<float> x) { k<<<(x.size() + 255) / 256, 256>>>(x); }
