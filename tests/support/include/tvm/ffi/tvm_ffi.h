// What tests use of TVM-FFI: names, and what its headers define inline.
#pragma once
#include <cstddef>
#include <dlpack/dlpack.h>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

inline bool operator==(const DLDataType &a, const DLDataType &b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }
extern "C" {
void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
int TVMFFIEnvTensorAlloc(DLTensor *prototype, void **out);
}

namespace tvm::ffi {
namespace detail {
// Its destructor throws.
class ErrorBuilder {
  std::ostringstream text_;

public:
  explicit ErrorBuilder(std::string kind);
  std::ostringstream &stream() { return text_; }
  [[noreturn]] ~ErrorBuilder() noexcept(false);
};
template <typename X, typename Y> std::unique_ptr<std::string> LogCheckFormat(const X &x, const Y &y) {
  std::ostringstream os;
  os << " (" << x << " vs. " << y << ") ";
  return std::make_unique<std::string>(os.str());
}
template <typename X, typename Y> std::unique_ptr<std::string> LogCheck_EQ(const X &x, const Y &y) {
  if (x == y) return nullptr;
  return LogCheckFormat(x, y);
}
}  // namespace detail
#define TVM_FFI_ICHECK(x) \
  if (!(x)) ::tvm::ffi::detail::ErrorBuilder("InternalError").stream() << "Check failed: (" #x << ") is false: "
#define TVM_FFI_ICHECK_EQ(x, y) \
  if (auto log_ = ::tvm::ffi::detail::LogCheck_EQ(x, y)) ::tvm::ffi::detail::ErrorBuilder("InternalError").stream() << *log_ << ": "

// A reference counted object: the layout of TVMFFIObject.
class Object {
  uint64_t combined_ref_count_;
  int32_t type_index_;
  uint32_t padding_;
  void (*deleter_)(void *, int);

public:
  void IncRef() { __atomic_fetch_add(&combined_ref_count_, 1, __ATOMIC_RELAXED); }
  void DecRef() {
    if ((__atomic_fetch_sub(&combined_ref_count_, 1, __ATOMIC_ACQ_REL) & 0xFFFFFFFF) == 1 && deleter_) deleter_(this, 3);
  }
};
class ShapeView {
  const int64_t *data_;
  size_t size_;

public:
  ShapeView(const int64_t *data, size_t size) : data_(data), size_(size) {}
  const int64_t *data() const { return data_; }
  size_t size() const { return size_; }
  int64_t operator[](size_t i) const { return data_[i]; }
  int64_t Product() const {
    int64_t all = 1;
    for (size_t i = 0; i < size_; ++i) all *= data_[i];
    return all;
  }
};
inline bool IsContiguous(const DLTensor &arr) {
  if (arr.strides == nullptr) return true;
  for (int32_t i = 0; i < arr.ndim; ++i)
    if (arr.shape[i] == 0) return true;
  int64_t expected = 1;
  for (int32_t i = arr.ndim; i != 0; --i) {
    int32_t k = i - 1;
    if (arr.shape[k] == 1) continue;
    if (arr.strides[k] != expected) return false;
    expected *= arr.shape[k];
  }
  return true;
}
class TensorObj : public Object, public DLTensor {};
#define OF_TENSOR(of) \
  void *data_ptr() const { return of->data; } \
  DLDevice device() const { return of->device; } \
  int32_t ndim() const { return of->ndim; } \
  DLDataType dtype() const { return of->dtype; } \
  ShapeView shape() const { return ShapeView(of->shape, of->ndim); } \
  int64_t numel() const { return shape().Product(); } \
  bool IsContiguous() const { return ::tvm::ffi::IsContiguous(*of); } \
  int64_t size(int64_t i) const { \
    int64_t at = i >= 0 ? i : of->ndim + i; \
    TVM_FFI_ICHECK(at >= 0 && at < of->ndim); \
    return of->shape[at]; \
  } \
  int64_t stride(int64_t i) const { \
    int64_t at = i >= 0 ? i : of->ndim + i; \
    TVM_FFI_ICHECK(at >= 0 && at < of->ndim); \
    return of->strides[at]; \
  }
class Tensor {
  TensorObj *data_ = nullptr;

public:
  explicit Tensor(void *object) : data_(static_cast<TensorObj *>(object)) {}
  Tensor(const Tensor &o) : data_(o.data_) { if (data_) data_->IncRef(); }
  ~Tensor() { if (data_) data_->DecRef(); }
  static Tensor FromEnvAlloc(int (*alloc)(DLTensor *, void **), ShapeView shape, DLDataType dtype, DLDevice device) {
    DLTensor like{};
    like.shape = const_cast<int64_t *>(shape.data());
    like.ndim = static_cast<int32_t>(shape.size());
    like.dtype = dtype;
    like.device = device;
    void *out = nullptr;
    TVM_FFI_ICHECK(alloc(&like, &out) == 0);
    return Tensor(out);
  }
  OF_TENSOR(data_)
};
class TensorView {
  DLTensor tensor_;

public:
  TensorView(const DLTensor *tensor) : tensor_(*tensor) {}
  OF_TENSOR((&tensor_))
};
struct AnyView { int32_t type_index; int32_t padding; void *v; };
namespace detail {
void keep(const void *name, void *f);
template <typename F> void unpack_call(const std::string *name, const F &f, const AnyView *, int32_t, AnyView *) { keep(name, reinterpret_cast<void *>(+f)); }
}  // namespace detail
namespace reflection {
class GlobalDef {
public:
  template <typename F> GlobalDef &def(const char *name, F &&f) { keep(name, reinterpret_cast<void *>(+f)); return *this; }
  void keep(const char *name, void *f);
};
}  // namespace reflection
}  // namespace tvm::ffi
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, f) \
  extern "C" int __tvm_ffi_##name(void *self, const ::tvm::ffi::AnyView *args, int32_t n, ::tvm::ffi::AnyView *result) { \
    static std::string text = #name; \
    ::tvm::ffi::detail::unpack_call(&text, f, args, n, result); \
    return 0; \
  }
#define TVM_FFI_STATIC_INIT_BLOCK() \
  static void __TVMFFIStaticInitFunc0(); \
  static int __TVMFFIStaticInitReg0 = [] { __TVMFFIStaticInitFunc0(); return 0; }(); \
  static void __TVMFFIStaticInitFunc0()
