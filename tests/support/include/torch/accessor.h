// Accessors of tensors, with the names that they have since PyTorch 2.10 (torch/headeronly/core/TensorAccessor.h): what kernels index by dimension.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace torch::headeronly {
template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };
namespace detail {
template <typename T, size_t N, template <typename> class Traits, typename Index> class TensorAccessor {
  typename Traits<T>::PtrType data_;
  const Index *sizes_, *strides_;

public:
  __host__ __device__ TensorAccessor(typename Traits<T>::PtrType data, const Index *sizes, const Index *strides) : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return static_cast<T &>(data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }
};
template <typename T, size_t N, template <typename> class Traits, typename Index> class GenericPackedTensorAccessor {
  typename Traits<T>::PtrType data_;
  Index sizes_[N], strides_[N];

public:
  __host__ GenericPackedTensorAccessor(typename Traits<T>::PtrType data, const Index *sizes, const Index *strides) : data_(data) {
    std::copy(sizes, sizes + N, std::begin(sizes_));
    std::copy(strides, strides + N, std::begin(strides_));
  }
  template <typename Source, class = std::enable_if_t<std::is_same_v<Source, int64_t>>>
  __host__ GenericPackedTensorAccessor(typename Traits<T>::PtrType data, const Source *sizes, const Source *strides) : data_(data) {
    for (size_t i = 0; i < N; ++i) {
      sizes_[i] = sizes[i];
      strides_[i] = strides[i];
    }
  }
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return static_cast<T &>(data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }
};
}  // namespace detail
}  // namespace torch::headeronly

namespace at {
using torch::headeronly::DefaultPtrTraits;
using torch::headeronly::RestrictPtrTraits;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits, typename Index = int64_t>
using GenericPackedTensorAccessor = torch::headeronly::detail::GenericPackedTensorAccessor<T, N, Traits, Index>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
}  // namespace at
namespace torch {
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
}
