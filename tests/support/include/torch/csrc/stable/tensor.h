// A small part of PyTorch's stable ABI (PyTorch 2.10 to 2.13), with its names and layouts: enough for operators of the tests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace c10 {
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, BFloat16 = 15, UInt16 = 27, UInt32, UInt64 };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : int8_t { Strided };
enum class DeviceType : int8_t { CPU, CUDA };
template <typename T> class HeaderOnlyArrayRef {
  const T *data_;
  size_t length_;

public:
  HeaderOnlyArrayRef(const T *data, size_t length) : data_(data), length_(length) {}
  HeaderOnlyArrayRef(const std::initializer_list<T> &list) : data_(list.begin()), length_(list.size()) {}
  const T *data() const { return data_; }
  size_t size() const { return length_; }
  const T &operator[](size_t i) const { return data_[i]; }
  bool equals(HeaderOnlyArrayRef other) const;
};
}  // namespace c10
namespace torch::headeronly {
using c10::Layout;
using c10::MemoryFormat;
using c10::ScalarType;
using IntHeaderOnlyArrayRef = c10::HeaderOnlyArrayRef<int64_t>;
namespace detail {
template <typename... Args> std::string stdTorchCheckMsgImpl(const char *, const Args &...args);
}
}  // namespace torch::headeronly
#define STD_TORCH_CHECK(cond, ...) \
  if (!(cond)) throw std::runtime_error(torch::headeronly::detail::stdTorchCheckMsgImpl("Expected " #cond " to be true", __func__, ", ", __FILE__, ":", __LINE__, ##__VA_ARGS__));

struct AtenTensorOpaque;
using AtenTensorHandle = AtenTensorOpaque *;
extern "C" int aoti_torch_get_size(AtenTensorHandle tensor, int64_t d, int64_t *size);
extern "C" int aoti_torch_get_numel(AtenTensorHandle tensor, int64_t *numel);
extern "C" int aoti_torch_get_dtype(AtenTensorHandle tensor, int32_t *type);
extern "C" int aoti_torch_get_device_type(AtenTensorHandle tensor, int32_t *type);
extern "C" int aoti_torch_is_contiguous(AtenTensorHandle tensor, bool *is);
extern "C" int aoti_torch_get_data_ptr(AtenTensorHandle tensor, void **data);
extern "C" int aoti_torch_get_current_cuda_stream(int32_t device, void **stream);

namespace torch::stable {
using DeviceIndex = int32_t;
class Device {
  c10::DeviceType type_;
  DeviceIndex index_ = -1;

public:
  Device(c10::DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  bool is_cuda() const { return type_ == c10::DeviceType::CUDA; }
};
class Tensor {
  std::shared_ptr<AtenTensorOpaque> ath_;

public:
  Tensor();
  explicit Tensor(AtenTensorHandle handle);
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) noexcept = default;
  Tensor &operator=(const Tensor &) = default;
  Tensor &operator=(Tensor &&) noexcept = default;
  ~Tensor() = default;
  AtenTensorHandle get() const { return ath_.get(); }
  void *data_ptr() const;
  void *mutable_data_ptr() const;
  const void *const_data_ptr() const;
  template <typename T> T *mutable_data_ptr() const {
    STD_TORCH_CHECK(scalar_type() == of<T>(), "type");
    return static_cast<T *>(mutable_data_ptr());
  }
  template <typename T, std::enable_if_t<!std::is_const_v<T>, int> = 0> const T *const_data_ptr() const {
    STD_TORCH_CHECK(scalar_type() == of<T>(), "type");
    return static_cast<const T *>(const_data_ptr());
  }
  int64_t dim() const;
  int64_t numel() const;
  torch::headeronly::IntHeaderOnlyArrayRef sizes() const;
  torch::headeronly::IntHeaderOnlyArrayRef strides() const;
  bool is_contiguous() const;
  size_t element_size() const;
  int64_t stride(int64_t d) const;
  int64_t size(int64_t d) const;
  int8_t get_device() const;
  DeviceIndex get_device_index() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool defined() const;
  c10::ScalarType scalar_type() const;
  Device device() const;

private:
  template <typename T> static constexpr c10::ScalarType of() {
    if constexpr (std::is_same_v<T, float>) return c10::ScalarType::Float;
    else if constexpr (std::is_same_v<T, int32_t>) return c10::ScalarType::Int;
    else return c10::ScalarType::Long;
  }
};
}  // namespace torch::stable
