// A function in TVM-FFI's table that makes its result: as long as the shape that it asks for.
//@ library: tvm-ffi
#include <tvm/ffi/tvm_ffi.h>
#include <tvm/ffi/extra/c_env_api.h>
namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

__global__ void add(const float *a, const float *b, float *out, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] +
             b[i];  //~ unchecked-argument proved
}

ffi::Tensor sum(ffi::Tensor a, ffi::Tensor b) {
  DLDataType f32 = a.dtype();
  TVM_FFI_ICHECK(f32.code == kDLFloat && f32.bits == 32 && f32.lanes == 1 && b.dtype() == f32);
  TVM_FFI_ICHECK(a.device().device_type == kDLCUDA && b.device().device_type == kDLCUDA);
  TVM_FFI_ICHECK(a.IsContiguous() && b.IsContiguous());
#ifdef GOOD
  TVM_FFI_ICHECK_EQ(a.numel(), b.numel());
#endif
  ffi::Tensor out = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, a.shape(), a.dtype(), a.device());
  int64_t n = a.numel();
  if (n > 0) add<<<(n + 255) / 256, 256>>>((float *)a.data_ptr(), (float *)b.data_ptr(), (float *)out.data_ptr(), n);
  return out;
}

TVM_FFI_STATIC_INIT_BLOCK() { refl::GlobalDef().def("ext.sum", sum); }
