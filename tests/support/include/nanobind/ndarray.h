// nanobind's arrays: the arguments of the template, and the accessors, which read the structure of DLPack.
#pragma once
#include <cstdint>
#include <nanobind/nanobind.h>
#include <type_traits>
#include <utility>

namespace nanobind {
namespace dlpack {
struct device {
  int32_t device_type = 0;
  int32_t device_id = 0;
};
struct dtype {
  uint8_t code = 0;
  uint8_t bits = 0;
  uint16_t lanes = 0;
  constexpr bool operator==(const dtype &o) const { return code == o.code && bits == o.bits && lanes == o.lanes; }
  constexpr bool operator!=(const dtype &o) const { return !operator==(o); }
};
struct dltensor {
  void *data = nullptr;
  nanobind::dlpack::device device;
  int32_t ndim = 0;
  nanobind::dlpack::dtype dtype;
  int64_t *shape = nullptr;
  int64_t *strides = nullptr;
  uint64_t byte_offset = 0;
};
}  // namespace dlpack
namespace device {
struct cpu { static constexpr int value = 1; };
struct cuda { static constexpr int value = 2; };
}  // namespace device
struct c_contig {};
struct f_contig {};
struct any_contig {};
struct numpy {};
struct pytorch {};
struct ro {};
namespace detail {
struct ndarray_handle;
dlpack::dltensor *ndarray_inc_ref(ndarray_handle *) noexcept;
void ndarray_dec_ref(ndarray_handle *) noexcept;
template <ptrdiff_t... Is> struct shape {};
template <typename> struct ndim_shape;
template <size_t... S> struct ndim_shape<std::index_sequence<S...>> { using type = shape<((void)S, -1)...>; };
template <typename...> struct scalar { using type = void; };
template <typename T, typename... Rest> struct scalar<T, Rest...> {
  using type = std::conditional_t<std::is_arithmetic_v<T>, T, typename scalar<Rest...>::type>;
};
}  // namespace detail
using detail::shape;
template <size_t N> using ndim = typename detail::ndim_shape<std::make_index_sequence<N>>::type;
template <typename T> constexpr dlpack::dtype dtype() {
  return {static_cast<uint8_t>(std::is_floating_point_v<T> ? 2 : std::is_signed_v<T> ? 0 : 1), sizeof(T) * 8, 1};
}
template <typename... Args> class ndarray {
  detail::ndarray_handle *m_handle = nullptr;
  dlpack::dltensor m_dltensor;

public:
  using Scalar = typename detail::scalar<Args...>::type;
  ndarray() = default;
  ~ndarray() { detail::ndarray_dec_ref(m_handle); }
  ndarray(const ndarray &t) : m_handle(t.m_handle), m_dltensor(t.m_dltensor) { detail::ndarray_inc_ref(m_handle); }
  dlpack::dtype dtype() const { return m_dltensor.dtype; }
  size_t ndim() const { return (size_t)m_dltensor.ndim; }
  size_t shape(size_t i) const { return (size_t)m_dltensor.shape[i]; }
  int64_t stride(size_t i) const { return m_dltensor.strides[i]; }
  bool is_valid() const { return m_handle != nullptr; }
  int device_type() const { return m_dltensor.device.device_type; }
  size_t size() const {
    size_t all = is_valid();
    for (size_t i = 0; i < ndim(); ++i) all *= shape(i);
    return all;
  }
  Scalar *data() const { return (Scalar *)((uint8_t *)m_dltensor.data + m_dltensor.byte_offset); }
};
}  // namespace nanobind
