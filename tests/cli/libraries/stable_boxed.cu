// An operator of torch's stable ABI, which TORCH_BOX unpacks from the stack.
//@ library: torch-stable
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
using torch::stable::Tensor;

__global__ void muladd(const float *a, const float *b, float c, float *r, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] * c +
           b[i];  //~ unchecked-argument proved
}

Tensor run(const Tensor &a, const Tensor &b, double c) {
  STD_TORCH_CHECK(a.is_cuda() && b.is_cuda(), "tensors of the device");
  STD_TORCH_CHECK(a.scalar_type() == torch::headeronly::ScalarType::Float && b.scalar_type() == torch::headeronly::ScalarType::Float);
#ifdef GOOD
  STD_TORCH_CHECK(a.numel() == b.numel(), "a and b have as many elements");
#endif
  Tensor ac = torch::stable::contiguous(a), bc = torch::stable::contiguous(b);
  Tensor r = torch::stable::empty_like(ac);
  int64_t n = ac.numel();
  void *stream;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(a.get_device_index(), &stream));
  if (n > 0)
    muladd<<<(n + 255) / 256, 256, 0, (cudaStream_t)stream>>>(ac.const_data_ptr<float>(), bc.const_data_ptr<float>(), c, r.mutable_data_ptr<float>(), n);
  return r;
}

STABLE_TORCH_LIBRARY(ext, m) { m.def("run(Tensor a, Tensor b, float c) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(ext, CUDA, m) { m.impl("run", TORCH_BOX(&run)); }
