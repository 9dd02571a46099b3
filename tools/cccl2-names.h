// Names that CCCL 3 (CUDA 13) has no more, so that units written for CUDA 12 can be measured where they lie: nvcc -include tools/cccl2-names.h.
#pragma once
#ifdef __cplusplus
namespace cub {
struct Sum {
  template <class T, class U>
  __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a + b) { return a + b; }
};
struct Max {
  template <class T, class U>
  __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a < b ? b : a) { return a < b ? b : a; }
};
struct Min {
  template <class T, class U>
  __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a < b ? b : a) { return b < a ? b : a; }
};
}  // namespace cub
#endif
