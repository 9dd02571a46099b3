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
Tensor transpose(const Tensor &self, int64_t a, int64_t b);
Tensor view(const Tensor &self, IntHeaderOnlyArrayRef size);
Tensor pad(const Tensor &self, IntHeaderOnlyArrayRef pad, const std::string &mode = "constant", double value = 0.0);
}  // namespace torch::stable
