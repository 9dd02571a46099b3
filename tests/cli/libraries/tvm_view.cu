// Three tensors of TVM-FFI, of which nothing is known but what the function checks.
//@ library: tvm-ffi
#include <tvm/ffi/tvm_ffi.h>
#include <tvm/ffi/extra/c_env_api.h>
namespace ffi = tvm::ffi;

__global__ void scale(const float *x, const float *w, float *y, int64_t n, int64_t c) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n * c)
    y[i] = x[i] *
           w[i % c];  //~ unchecked-argument proved
}

static void check(ffi::TensorView t, int ndim) {
  TVM_FFI_ICHECK_EQ(t.ndim(), ndim) << "rank";
  TVM_FFI_ICHECK(t.IsContiguous()) << "order";
  TVM_FFI_ICHECK(t.dtype() == (DLDataType{kDLFloat, 32, 1})) << "type";
  TVM_FFI_ICHECK_EQ(t.device().device_type, kDLCUDA) << "device";
}

void run(ffi::TensorView x, ffi::TensorView w, ffi::TensorView y) {
  check(x, 2);
  check(w, 1);
  check(y, 2);
  int64_t n = x.size(0), c = x.size(-1);
  TVM_FFI_ICHECK(y.size(0) == n && y.size(1) == c) << "y has another shape than x";
#ifdef GOOD
  TVM_FFI_ICHECK_EQ(w.size(0), c) << "w has not one weight for each column";
#endif
  cudaStream_t stream = (cudaStream_t)TVMFFIEnvGetStream(x.device().device_type, x.device().device_id);
  if (n * c > 0) scale<<<(n * c + 255) / 256, 256, 0, stream>>>((float *)x.data_ptr(), (float *)w.data_ptr(), (float *)y.data_ptr(), n, c);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)
