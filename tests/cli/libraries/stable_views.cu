// Views and new tensors of torch's stable ABI: a result made for fewer rows than the kernel writes.
//@ library: torch-stable
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
using torch::stable::Tensor;

__global__ void rows(const float *x, int64_t row, const float *w, float *out, int64_t n, int64_t c) {
  int64_t i = blockIdx.x;
  for (int64_t k = threadIdx.x; k < c; k += blockDim.x)
    out[i * c + k] = x[i * row + k] * w[k];  //~ oob-global proved
}

Tensor run(Tensor x, const Tensor &w) {
  STD_TORCH_CHECK(x.is_cuda() && w.is_cuda() && x.dim() == 2 && w.dim() == 1);
  STD_TORCH_CHECK(x.is_contiguous() && w.is_contiguous());
  STD_TORCH_CHECK(x.scalar_type() == torch::headeronly::ScalarType::Float && w.scalar_type() == torch::headeronly::ScalarType::Float);
  STD_TORCH_CHECK(x.size(1) >= 2 && w.size(0) == x.size(1));
  // The columns but for the last one.
  Tensor part = torch::stable::narrow(x, 1, 0, x.size(1) - 1);
  int64_t n = part.size(0), c = part.size(1);
#ifdef GOOD
  Tensor out = torch::stable::new_empty(x, {n, c});
#else
  Tensor out = torch::stable::new_empty(x, {n, c - 1});
#endif
  if (n > 0) rows<<<n, 128>>>(part.const_data_ptr<float>(), part.stride(0), w.const_data_ptr<float>(), out.mutable_data_ptr<float>(), n, c);
  return out;
}

STABLE_TORCH_LIBRARY(ext, m) { m.def("run(Tensor x, Tensor w) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(ext, CUDA, m) { m.impl("run", TORCH_BOX(&run)); }
