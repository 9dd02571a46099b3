// Functions of TVM-FFI, which print what they are given, by each class of argument and by the structure itself. The same text is compiled twice: by
// g++ with TVM-FFI's own headers and its library (`tools/real-libraries.py`, with REAL), and for the concrete interpreter, which is given tensors as a
// caller is (`templates/models/dlpack.cpp`).
#include <tvm/ffi/tvm_ffi.h>
#include <cstdio>

namespace ffi = tvm::ffi;

#ifdef REAL
#include <string>
static std::string text;
template <typename... Args> static void say(const char *format, Args... args) {
  char part[64];
  snprintf(part, sizeof part, format, args...);
  text += part;
}
#else
#define say printf
// Whether the caller states no strides is the only setting.
static long doubt = -1, unstated;
static void read_settings() {
  if (doubt < 0 && scanf("%ld%ld", &doubt, &unstated) != 2) doubt = 0;
}
extern "C" long __scuba_setting(long, long, long) {
  read_settings();
  return unstated;
}
extern "C" long __scuba_known(long n) {
  read_settings();
  if (doubt == 0) return n;
  unsigned long mixed = (static_cast<unsigned long>(n) * 0x9e3779b97f4a7c15 ^ doubt) * 0xbf58476d1ce4e5b9;
  return (mixed >> 40) % 3 != 0 ? n : -1;
}
extern "C" void __scuba_axiom(bool holds) { if (!holds) printf("{0}"); }
__global__ void last() {}
#endif

static void end() {
  say("=");
#ifndef REAL
  last<<<1, 1>>>();
#endif
}

template <typename T> static void show(const T &x) {
  DLDataType type = x.dtype();
  int dim = x.ndim();
  say("=%d %d %d %d %d", (int)type.code, (int)type.bits, (int)type.lanes, (int)x.device().device_type, dim);
  say(" :");
  for (int i = 0; i < dim; i++) say(" %ld", (long)x.size(i));
  say(" :");
  for (int i = 0; i < dim; i++) say(" %ld", (long)x.size(i - dim));
  say(" :");
  for (int i = 0; i < dim; i++) say(" %ld", (long)x.stride(i));
  say(" :");
  for (int i = 0; i < dim; i++) say(" %ld", (long)x.stride(i - dim));
  say(" :");
  for (size_t i = 0; i < x.shape().size(); i++) say(" %ld", (long)x.shape()[i]);
  say(" : %ld %ld %d", (long)x.numel(), (long)x.shape().Product(), (int)x.IsContiguous());
  end();
}
static void by_view(ffi::TensorView x) { show(x); }
static void by_tensor(ffi::Tensor x) { show(x); }
static void by_pointer(DLTensor *x) {
  say("=%d %d %d %d %d", (int)x->dtype.code, (int)x->dtype.bits, (int)x->dtype.lanes, (int)x->device.device_type, (int)x->ndim);
  say(" :");
  for (int i = 0; i < x->ndim; i++) say(" %ld", (long)x->shape[i]);
  say(" : %d", (int)(x->strides != nullptr));
  for (int i = 0; i < x->ndim && x->strides; i++) say(" %ld", (long)x->strides[i]);
  say(" : %ld", (long)x->byte_offset);
  end();
}
// A dimension that there may not be.
static void size_of_view(ffi::TensorView x, int64_t at) { say("=%ld", (long)x.size(at)); end(); }
static void size_of_tensor(ffi::Tensor x, int64_t at) { say("=%ld", (long)x.size(at)); end(); }
static void stride_of_view(ffi::TensorView x, int64_t at) { say("=%ld", (long)x.stride(at)); end(); }
static void stride_of_tensor(ffi::Tensor x, int64_t at) { say("=%ld", (long)x.stride(at)); end(); }

#ifdef REAL
static ffi::String said() {
  ffi::String all(text);
  text.clear();
  return all;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(said, said)
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(by_view, by_view)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(by_tensor, by_tensor)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(by_pointer, by_pointer)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size_of_view, size_of_view)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size_of_tensor, size_of_tensor)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stride_of_view, stride_of_view)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stride_of_tensor, stride_of_tensor)
