// Rests on `tensor-sizes` in the lines that say so.
//@ flags: -std=c++17 -IINCLUDE
#include <torch/extension.h>
__global__ void k(float *y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2;  //~
}
torch::Tensor scale(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && x.is_cuda());
  int64_t n = x.size(0);
  if (n == 0) return x;
  k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), n);
  return x;
}
PYBIND11_MODULE(ext, m) { m.def("scale", &scale, "scales"); }
