// A small part of PyTorch's C++ interface, with ATen's names and layouts: enough for operators of the tests.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <cuda_runtime.h>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <limits>
#include <torch/accessor.h>
#include <tuple>
#include <type_traits>
#include <vector>

namespace c10 {
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, BFloat16 = 15 };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : int8_t { Strided };
enum class DeviceType : int8_t { CPU, CUDA };
struct Device {
  DeviceType type_;
  int8_t index_ = -1;
  Device(DeviceType type, int8_t index = -1) : type_(type), index_(index) {}
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  bool operator==(const Device &other) const noexcept { return type_ == other.type_ && index_ == other.index_; }
};
template <typename T> class ArrayRef {
  const T *data_;
  size_t length_;

public:
  ArrayRef(const T &one) : data_(&one), length_(1) {}
  template <size_t N> ArrayRef(const T (&all)[N]) : data_(all), length_(N) {}
  ArrayRef(const std::initializer_list<T> &list) : data_(list.begin()), length_(list.size()) {}
  ArrayRef(const T *data, size_t length) : data_(data), length_(length) {}
  template <typename A> ArrayRef(const std::vector<T, A> &all) : data_(all.data()), length_(all.size()) {}
  const T &operator[](size_t i) const { return data_[i]; }
  size_t size() const { return length_; }
  const T *data() const { return data_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + length_; }
  ArrayRef slice(size_t n, size_t m) const {
    if (n + m > size()) throw std::runtime_error("out of range");
    return ArrayRef(data() + n, m);
  }
  ArrayRef slice(size_t n) const {
    if (n > size()) throw std::runtime_error("out of range");
    return slice(n, size() - n);
  }
  bool equals(ArrayRef o) const { return length_ == o.length_ && std::equal(begin(), end(), o.begin()); }
};
template <typename T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <typename T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
using IntArrayRef = ArrayRef<int64_t>;
inline int64_t multiply_integers(IntArrayRef all) { return std::accumulate(all.begin(), all.end(), int64_t(1), std::multiplies<>()); }
struct TensorOptions {
  Device device_{DeviceType::CPU};
  uint16_t dtype_ = static_cast<uint16_t>(ScalarType::Float);
  int8_t layout_ = 0;
  MemoryFormat memory_format_ = MemoryFormat::Contiguous;
  bool requires_grad_ : 1;
  bool pinned_memory_ : 1;
  bool has_device_ : 1;
  bool has_dtype_ : 1;
  bool has_layout_ : 1;
  bool has_requires_grad_ : 1;
  bool has_pinned_memory_ : 1;
  bool has_memory_format_ : 1;
  TensorOptions() : requires_grad_(false), pinned_memory_(false), has_device_(false), has_dtype_(false), has_layout_(false), has_requires_grad_(false), has_pinned_memory_(false), has_memory_format_(false) {}
  TensorOptions dtype(ScalarType t) const { TensorOptions o = *this; o.dtype_ = static_cast<uint16_t>(t); o.has_dtype_ = true; return o; }
  TensorOptions device(DeviceType d) const { TensorOptions o = *this; o.device_ = Device(d); o.has_device_ = true; return o; }
  TensorOptions memory_format(MemoryFormat f) const { TensorOptions o = *this; o.memory_format_ = f; o.has_memory_format_ = true; return o; }
};
template <typename T> struct alignas(sizeof(T) * 2) complex {
  T real_, imag_;
  complex(T real, T imag) : real_(real), imag_(imag) {}
};
// A number that stands for a size while a program is traced.
struct SymNodeImpl {
  virtual bool is_int();
};
class SymInt {
  int64_t data_;

public:
  SymInt(int64_t data) : data_(data) {}
  SymInt(SymNodeImpl *node) : data_(reinterpret_cast<int64_t>(node)) {
    if (!node->is_int()) throw std::runtime_error("no integer");
  }
  int64_t guard_int(const char *file, int64_t line) const;
};
class Scalar {
  enum class Tag { HAS_d, HAS_i, HAS_u, HAS_z, HAS_b, HAS_sd, HAS_si, HAS_sb };
  Tag tag;
  union Value {
    double d;
    int64_t i;
    void *p;
    complex<double> z;
    Value() {}
  } v;

public:
  Scalar(double d) : tag(Tag::HAS_d) { v.d = d; }
  Scalar(int i) : tag(Tag::HAS_i) { v.i = i; }
  Scalar(int64_t i) : tag(Tag::HAS_i) { v.i = i; }
  Scalar(complex<double> z) : tag(Tag::HAS_z) { v.z = z; }
  Scalar(bool b) : tag(Tag::HAS_b) { v.i = b; }
  SymInt toSymInt() const { return tag == Tag::HAS_si ? SymInt(static_cast<SymNodeImpl *>(v.p)) : SymInt(v.i); }
  int64_t toLong() const;
  int toInt() const {
    if (tag == Tag::HAS_d) return static_cast<int>(v.d);
    if (tag == Tag::HAS_i || tag == Tag::HAS_b) return static_cast<int>(v.i);
    if (tag == Tag::HAS_si) return static_cast<int>(toSymInt().guard_int(__FILE__, __LINE__));
    throw std::runtime_error("no number");
  }
};
template <typename T> class OptionalArrayRef {
  std::optional<ArrayRef<T>> wrapped_opt_array_ref;

public:
  OptionalArrayRef(std::nullopt_t) {}
  OptionalArrayRef(const ArrayRef<T> &all) : wrapped_opt_array_ref(all) {}
};
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;
class TensorImpl {
public:
  int64_t numel() const;
};
template <typename T> class intrusive_ptr {
  T *target_ = nullptr;

public:
  intrusive_ptr() = default;
  intrusive_ptr(const intrusive_ptr &);
  intrusive_ptr(intrusive_ptr &&) noexcept;
  intrusive_ptr &operator=(const intrusive_ptr &) &;
  intrusive_ptr &operator=(intrusive_ptr &&) & noexcept;
  ~intrusive_ptr();
  T *operator->() const noexcept { return target_; }
};
namespace detail {
[[noreturn]] void torchCheckFail(const char *function, const char *file, uint32_t line, const char *message);
}
}  // namespace c10

namespace c10::cuda {
// Called of every status; throws where that is an error.
void c10_cuda_check_implementation(const int32_t status, const char *file, const char *function, const uint32_t line, const bool assertions);
}  // namespace c10::cuda
#define C10_CUDA_CHECK(call) \
  do { \
    const cudaError_t status_ = call; \
    c10::cuda::c10_cuda_check_implementation(static_cast<int32_t>(status_), __FILE__, __func__, static_cast<uint32_t>(__LINE__), true); \
  } while (0)

namespace at {
using namespace c10;
#define TORCH_CHECK(cond, ...) \
  if (__builtin_expect(!(cond), 0)) { ::c10::detail::torchCheckFail(__func__, __FILE__, static_cast<uint32_t>(__LINE__), "Expected " #cond " to be true"); }
class TensorBase {
protected:
  intrusive_ptr<TensorImpl> impl_;

public:
  TensorBase() = default;
  TensorBase(const TensorBase &) = default;
  TensorBase(TensorBase &&) noexcept = default;
  TensorBase &operator=(const TensorBase &) & = default;
  TensorBase &operator=(TensorBase &&) & noexcept = default;
  int64_t dim() const;
  int64_t numel() const;
  int64_t size(int64_t d) const;
  int64_t stride(int64_t d) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool defined() const;
  ScalarType scalar_type() const;
  Device device() const;
  bool is_cuda() const;
  bool is_same(const TensorBase &other) const;
  size_t nbytes() const;
  TensorOptions options() const;
  template <typename T> T *data_ptr() const;
  void *data_ptr() const;
  // As up to PyTorch 2.12, where these have conditions.
  template <typename T, std::enable_if_t<!std::is_const_v<T>, int> = 0> const T *const_data_ptr() const;
  template <typename T, std::enable_if_t<std::is_const_v<T>, int> = 0> const std::remove_const_t<T> *const_data_ptr() const;
  template <typename T> T *mutable_data_ptr() const;
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits, typename Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> generic_packed_accessor() const & {
    TORCH_CHECK(dim() == N, "dimensions");
    T *p = nullptr;
    if constexpr (std::is_const_v<T>) p = const_data_ptr<T>();
    else p = mutable_data_ptr<T>();
    return GenericPackedTensorAccessor<T, N, Traits, Index>(static_cast<typename Traits<T>::PtrType>(p), sizes().data(), strides().data());
  }
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, Traits> packed_accessor32() const & {
    TORCH_CHECK(impl_->numel() <= static_cast<int64_t>(std::numeric_limits<int32_t>::max()), "numel");
    return generic_packed_accessor<T, N, Traits, int32_t>();
  }
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, Traits> packed_accessor64() const & {
    return generic_packed_accessor<T, N, Traits, int64_t>();
  }
};
class Tensor : public TensorBase {
public:
  Tensor() = default;
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) = default;
  Tensor &operator=(const Tensor &) & = default;
  Tensor &operator=(Tensor &&) & = default;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor sum() const;
  Tensor max() const;
  Tensor min() const;
  Scalar item() const;
  template <typename T> T item() const;
  Tensor clone(std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor detach() const;
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor to(ScalarType type, bool non_blocking = false, bool copy = false, std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor new_empty(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_zeros(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_ones(IntArrayRef size, TensorOptions options = {}) const;
  Tensor view(IntArrayRef size) const;
  Tensor reshape(IntArrayRef shape) const;
  Tensor flatten(int64_t from = 0, int64_t to = -1) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor expand(IntArrayRef size, bool implicit = false) const;
  Tensor transpose(int64_t a, int64_t b) const;
  Tensor t() const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor operator[](int64_t index) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor slice(int64_t dim = 0, std::optional<int64_t> start = std::nullopt, std::optional<int64_t> end = std::nullopt, int64_t step = 1) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true) const;
  Tensor as_strided(IntArrayRef size, IntArrayRef stride, std::optional<int64_t> offset = std::nullopt) const;
  Tensor &clamp_(int64_t least, int64_t most) const;
};
using TensorList = ArrayRef<Tensor>;
// ATen/core/IListRef.h
class ITensorListRef {
  struct {
    TensorList unboxed;
  } payload_;
  int tag_ = 0;

public:
  ITensorListRef(TensorList list) : payload_{list} {}
};
struct Generator {
  intrusive_ptr<TensorImpl> impl_;
};
// What methods call (ATen/ops).
namespace _ops {
#define OF_ONE(op) struct op { static Tensor call(const Tensor &self); };
OF_ONE(abs) OF_ONE(neg) OF_ONE(sign) OF_ONE(square) OF_ONE(exp) OF_ONE(log) OF_ONE(log2) OF_ONE(sqrt)
OF_ONE(rsqrt) OF_ONE(reciprocal) OF_ONE(sin) OF_ONE(cos) OF_ONE(tanh) OF_ONE(sigmoid) OF_ONE(relu) OF_ONE(silu)
OF_ONE(floor) OF_ONE(ceil) OF_ONE(round) OF_ONE(trunc)
#define WITH_SCALAR(op) struct op { static Tensor call(const Tensor &self, const Scalar &other); };
WITH_SCALAR(clamp_min) WITH_SCALAR(clamp_max) WITH_SCALAR(mul_Scalar) WITH_SCALAR(div_Scalar) WITH_SCALAR(pow_Tensor_Scalar)
WITH_SCALAR(lt_Scalar) WITH_SCALAR(le_Scalar) WITH_SCALAR(gt_Scalar) WITH_SCALAR(ge_Scalar) WITH_SCALAR(eq_Scalar) WITH_SCALAR(ne_Scalar)
struct add_Scalar { static Tensor call(const Tensor &self, const Scalar &other, const Scalar &alpha); };
struct sub_Scalar { static Tensor call(const Tensor &self, const Scalar &other, const Scalar &alpha); };
struct add_Tensor { static Tensor call(const Tensor &self, const Tensor &other, const Scalar &alpha); };
struct sub_Tensor { static Tensor call(const Tensor &self, const Tensor &other, const Scalar &alpha); };
struct mul_Tensor { static Tensor call(const Tensor &self, const Tensor &other); };
struct div_Tensor { static Tensor call(const Tensor &self, const Tensor &other); };
struct clamp { static Tensor call(const Tensor &self, const std::optional<Scalar> &min, const std::optional<Scalar> &max); };
struct gelu { static Tensor call(const Tensor &self, std::string_view approximate); };
struct bernoulli { static Tensor call(const Tensor &self, std::optional<Generator> generator); };
struct cumsum { static Tensor call(const Tensor &self, int64_t dim, std::optional<ScalarType> dtype); };
struct cumprod { static Tensor call(const Tensor &self, int64_t dim, std::optional<ScalarType> dtype); };
struct cat { static Tensor call(const ITensorListRef &tensors, int64_t dim); };
struct to_dtype_layout {
  static Tensor call(const Tensor &self, std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin_memory, bool non_blocking, bool copy, std::optional<MemoryFormat> format);
};
struct clamp_ {
  static Tensor &call(Tensor &self, int64_t least, int64_t most);
};
#include <torch/reductions.h>
// What no model knows.
struct cholesky { static Tensor call(const Tensor &self, bool upper); };
struct slogdet { static std::tuple<Tensor, Tensor> call(const Tensor &self); };
struct erfinv_ { static Tensor &call(Tensor &self); };
struct item { static Scalar call(const Tensor &self); };
}  // namespace _ops
inline Tensor Tensor::max() const { return _ops::max::call(*this); }
inline Tensor Tensor::min() const { return _ops::min::call(*this); }
inline Scalar Tensor::item() const { return _ops::item::call(*this); }
// ATen/TensorUtils.h
struct TensorArg {
  const Tensor &tensor;
  const char *name;
  int pos;
  TensorArg(const Tensor &tensor, const char *name, int pos) : tensor(tensor), name(name), pos(pos) {}
};
// A tensor by its shape alone.
struct TensorGeometry {
  std::vector<int64_t> sizes;
  explicit TensorGeometry(const TensorBase &t) : sizes(t.sizes().begin(), t.sizes().end()) {}
};
struct TensorGeometryArg {
  TensorGeometry tensor;
  const char *name;
  int pos;
  TensorGeometryArg(TensorArg arg) : tensor(TensorGeometry{arg.tensor}), name(arg.name), pos(arg.pos) {}
};
void checkDim(const char *c, const Tensor &tensor, const char *name, int pos, int64_t dim);
void checkDim(const char *c, const TensorGeometryArg &t, int64_t dim);
void checkDimRange(const char *c, const TensorGeometryArg &t, int64_t from, int64_t to);
void checkSameDim(const char *c, const TensorGeometryArg &a, const TensorGeometryArg &b);
void checkContiguous(const char *c, const TensorGeometryArg &t);
void checkNumel(const char *c, const TensorGeometryArg &t, int64_t numel);
void checkSize(const char *c, const TensorGeometryArg &t, int64_t dim, int64_t size);
void checkSize(const char *c, const TensorGeometryArg &t, IntArrayRef sizes);
void checkSameGPU(const char *c, const TensorArg &a, const TensorArg &b);
void checkScalarTypes(const char *c, const TensorArg &t, ArrayRef<ScalarType> types);
void checkDefined(const char *c, const TensorArg &t);
void checkDeviceType(const char *c, ArrayRef<Tensor> tensors, DeviceType type);
void check_dim_size(const Tensor &tensor, int64_t dim, int64_t at, int64_t size);
void checkAllSameGPU(const char *c, ArrayRef<TensorArg> tensors);
void checkAllSameSize(const char *c, ArrayRef<TensorArg> tensors);
void checkAllContiguous(const char *c, ArrayRef<TensorArg> tensors);
class Context {
public:
  static void alertNotDeterministic(const char *caller);
};
Context &globalContext();
// A function that no model knows.
Tensor logdet(const Tensor &self);
Tensor empty(IntArrayRef size, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor empty_like(const Tensor &self, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor zeros_like(const Tensor &self, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor ones_like(const Tensor &self, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor full_like(const Tensor &self, const Scalar &value, TensorOptions options = {}, std::optional<MemoryFormat> format = std::nullopt);
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor rand(IntArrayRef size, TensorOptions options = {});
Tensor randn(IntArrayRef size, TensorOptions options = {});
Tensor full(IntArrayRef size, const Scalar &value, TensorOptions options = {});
Tensor arange(const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, TensorOptions options = {});
}  // namespace at

namespace torch {
using at::arange;
using at::empty;
using at::empty_like;
using at::full;
using at::full_like;
using at::ones;
using at::ones_like;
using at::rand;
using at::randn;
using at::Tensor;
using at::TensorOptions;
using at::zeros;
using at::zeros_like;
using at::IntArrayRef;
constexpr auto kFloat32 = c10::ScalarType::Float;
constexpr auto kFloat64 = c10::ScalarType::Double;
constexpr auto kFloat16 = c10::ScalarType::Half;
constexpr auto kInt32 = c10::ScalarType::Int;
constexpr auto kInt64 = c10::ScalarType::Long;
constexpr auto kCUDA = c10::DeviceType::CUDA;
}  // namespace torch

namespace c10 {
template <class Type, Type *function> struct CompileTimeFunctionPointer {
  static constexpr Type *func_ptr() { return function; }
};
}  // namespace c10
#define TORCH_FN(f) ::c10::CompileTimeFunctionPointer<std::remove_pointer_t<std::remove_reference_t<decltype(f)>>, f>()
namespace torch {
class Library {
public:
  Library &def(const char *schema) &;
  template <typename F> Library &def(const char *schema, F &&f) & { keep(schema, reinterpret_cast<void *>(f)); return *this; }
  template <typename F> Library &impl(const char *name, F &&f) & {
    if constexpr (std::is_class_v<std::remove_reference_t<F>>) keep_later<std::remove_reference_t<F>>(name);
    else keep(name, reinterpret_cast<void *>(f));
    return *this;
  }
  template <typename F> void keep_later(const char *name) { keep(name, reinterpret_cast<void *>(F::func_ptr())); }
  void keep(const char *name, void *f);
};
}  // namespace torch
// As in torch/library.h, where they also make a static object that calls the function.
#define TORCH_LIBRARY(ns, m) \
  static void TORCH_LIBRARY_init_##ns(torch::Library &); \
  void TORCH_LIBRARY_register_##ns(torch::Library &l) { TORCH_LIBRARY_init_##ns(l); } \
  void TORCH_LIBRARY_init_##ns(torch::Library &m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) \
  static void TORCH_LIBRARY_FRAGMENT_init_##ns##_7(torch::Library &); \
  void TORCH_LIBRARY_FRAGMENT_register_##ns##_7(torch::Library &l) { TORCH_LIBRARY_FRAGMENT_init_##ns##_7(l); } \
  void TORCH_LIBRARY_FRAGMENT_init_##ns##_7(torch::Library &m)
#define TORCH_LIBRARY_IMPL(ns, key, m) \
  static void TORCH_LIBRARY_IMPL_init_##ns##_##key##_0(torch::Library &); \
  void TORCH_LIBRARY_IMPL_register_##ns##_##key##_0(torch::Library &l) { TORCH_LIBRARY_IMPL_init_##ns##_##key##_0(l); } \
  void TORCH_LIBRARY_IMPL_init_##ns##_##key##_0(torch::Library &m)

namespace pybind11 {
class module_ {
public:
  template <typename F, typename... Extra> module_ &def(const char *name, F &&f, const Extra &...) { keep(name, reinterpret_cast<void *>(+f)); return *this; }
  void keep(const char *name, void *f);
};
}
#define PYBIND11_MODULE(name, variable) \
  static void pybind11_init_##name(::pybind11::module_ &); \
  extern "C" void PyInit_##name() { static ::pybind11::module_ m; pybind11_init_##name(m); } \
  void pybind11_init_##name(::pybind11::module_ &variable)
