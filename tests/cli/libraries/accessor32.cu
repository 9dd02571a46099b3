// Packed accessors of torch with indices of 32 bits: sizes and strides travel with each tensor, and a kernel uses one's sizes for another.
//@ library: torch
#include <torch/extension.h>

template <typename T>
__global__ void rows(torch::PackedTensorAccessor32<const T, 2, torch::RestrictPtrTraits> x, torch::PackedTensorAccessor32<const T, 1> w, torch::PackedTensorAccessor32<T, 2> out) {
  int n = blockIdx.x;
  if (n >= x.size(0)) return;
  for (int c = threadIdx.x; c < x.size(1); c += blockDim.x)
    out[n][c] = x[n][c] *
                w[c];  //~ unchecked-argument proved
}

torch::Tensor scaled(const torch::Tensor &x, const torch::Tensor &w) {
  TORCH_CHECK(x.is_cuda() && w.is_cuda(), "tensors of the device");
  TORCH_CHECK(x.scalar_type() == torch::kFloat && w.scalar_type() == torch::kFloat);
  TORCH_CHECK(x.dim() == 2 && w.dim() == 1 && x.is_contiguous() && w.is_contiguous());
  // packed_accessor32 checks the number of elements; the loop's next index needs some more.
  TORCH_CHECK(x.numel() < 1 << 30);
#ifdef GOOD
  TORCH_CHECK(w.size(0) == x.size(1), "one weight for each column");
#endif
  torch::Tensor out = torch::empty_like(x);
  if (x.size(0) > 0 && x.size(1) > 0)
    rows<float><<<x.size(0), 256>>>(x.packed_accessor32<const float, 2, torch::RestrictPtrTraits>(), w.packed_accessor32<const float, 1>(), out.packed_accessor32<float, 2>());
  return out;
}

TORCH_LIBRARY(ext, m) { m.def("scaled(Tensor x, Tensor w) -> Tensor", &scaled); }
