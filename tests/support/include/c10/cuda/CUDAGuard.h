// Guards of the current device, with the names of PyTorch's.
#pragma once
#include <torch/extension.h>

namespace c10 {
class DeviceGuard {
public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
};
namespace cuda {
class CUDAGuard {
public:
  explicit CUDAGuard(int8_t index);
  explicit CUDAGuard(Device device);
  ~CUDAGuard();
  void set_device(Device device);
};
class OptionalCUDAGuard {
public:
  explicit OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device);
  ~OptionalCUDAGuard();
  void set_device(Device device);
};
}  // namespace cuda
}  // namespace c10
namespace at {
inline std::optional<Device> device_of(const Tensor &t) {
  if (t.defined()) return t.device();
  return std::nullopt;
}
namespace cuda {
using namespace c10::cuda;
}
}  // namespace at
