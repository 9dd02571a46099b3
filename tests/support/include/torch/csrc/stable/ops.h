// Operations of the stable ABI (torch/csrc/stable/ops.h of PyTorch 2.10 to 2.13).
#pragma once
#include <torch/csrc/stable/tensor.h>
namespace torch::stable {
using torch::headeronly::IntHeaderOnlyArrayRef;
Tensor empty_like(const Tensor &self);
Tensor clone(const Tensor &self);
Tensor contiguous(const Tensor &self, c10::MemoryFormat format = c10::MemoryFormat::Contiguous);
Tensor new_empty(const Tensor &self, IntHeaderOnlyArrayRef size, std::optional<c10::ScalarType> dtype = std::nullopt, std::optional<c10::Layout> layout = std::nullopt,
                 std::optional<Device> device = std::nullopt, std::optional<bool> pin = std::nullopt);
Tensor new_zeros(const Tensor &self, IntHeaderOnlyArrayRef size, std::optional<c10::ScalarType> dtype = std::nullopt, std::optional<c10::Layout> layout = std::nullopt,
                 std::optional<Device> device = std::nullopt, std::optional<bool> pin = std::nullopt);
Tensor empty(IntHeaderOnlyArrayRef size, std::optional<c10::ScalarType> dtype = std::nullopt, std::optional<c10::Layout> layout = std::nullopt,
             std::optional<Device> device = std::nullopt, std::optional<bool> pin = std::nullopt, std::optional<c10::MemoryFormat> format = std::nullopt);
Tensor to(const Tensor &self, std::optional<c10::ScalarType> dtype = std::nullopt, std::optional<c10::Layout> layout = std::nullopt,
          std::optional<Device> device = std::nullopt, std::optional<bool> pin = std::nullopt, bool non_blocking = false, bool copy = false,
          std::optional<c10::MemoryFormat> format = std::nullopt);
Tensor zero_(Tensor &self);
Tensor fill_(const Tensor &self, double value);
Tensor select(const Tensor &self, int64_t dim, int64_t index);
Tensor narrow(Tensor &self, int64_t dim, int64_t start, int64_t length);
Tensor flatten(const Tensor &self, int64_t start = 0, int64_t end = -1);
Tensor unsqueeze(const Tensor &self, int64_t dim);
Tensor squeeze(const Tensor &self, int64_t dim);
Tensor reshape(const Tensor &self, IntHeaderOnlyArrayRef shape);
Tensor transpose(const Tensor &self, int64_t a, int64_t b);
Tensor view(const Tensor &self, IntHeaderOnlyArrayRef size);
Tensor pad(const Tensor &self, IntHeaderOnlyArrayRef pad, const std::string &mode = "constant", double value = 0.0);
}  // namespace torch::stable
