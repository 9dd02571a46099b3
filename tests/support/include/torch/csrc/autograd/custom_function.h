// A small part of PyTorch's functions with a gradient, with its names: what leads from `apply` to `forward` and back.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <torch/extension.h>
#include <unordered_set>
#include <vector>

namespace c10 {
struct GradMode {
  static bool is_enabled();
};
}  // namespace c10

namespace torch::autograd {
using Variable = at::Tensor;
using variable_list = std::vector<Variable>;

struct AutogradContext {
  void save_for_backward(variable_list to_save);
  void mark_dirty(const variable_list &inputs);
  const std::unordered_set<at::TensorImpl *> &get_and_bump_dirty() const;
  const std::unordered_set<at::TensorImpl *> &get_non_differentiable() const;
};

struct Node {
  virtual ~Node();
  virtual variable_list apply(variable_list &&inputs) = 0;
  void clear_input_metadata();
  void *mutex[16];
};

template <class T> struct CppNode : Node {
  CppNode() : name(new std::string("node")) {}
  variable_list apply(variable_list &&inputs) override;
  void set_ctx_grad_fn(const std::shared_ptr<Node> &node) { self = node; }
  AutogradContext ctx_;
  std::vector<bool> is_variable_input_;
  std::weak_ptr<Node> self;
  std::unique_ptr<std::string> name;
};
void deleteNode(Node *node);

template <typename... Args> void extract_vars(std::vector<bool> &is_var, variable_list &list, Args &&...args) {
  auto one = [&](const auto &x) {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, at::Tensor>) list.push_back(x);
    is_var.push_back(true);
  };
  (one(args), ...);
}
bool any_variable_requires_grad(const variable_list &variables);

std::vector<std::optional<Variable>> _wrap_outputs(
    const variable_list &input_vars, const std::unordered_set<at::TensorImpl *> &non_differentiable, const std::unordered_set<at::TensorImpl *> &dirty_inputs,
    c10::ArrayRef<std::optional<Variable>> raw_outputs, const std::shared_ptr<Node> &cdata, const std::function<Variable(Variable)> &view);
std::vector<std::optional<Variable>> to_optional(variable_list &output);
template <typename T> T to_output_type(std::vector<std::optional<Variable>> &outputs) {
  T result;
  for (auto &v : outputs) result.push_back(*v);
  return result;
}

template <class T> struct Function {
  template <typename... Args> static variable_list apply(Args &&...args) {
    std::shared_ptr<CppNode<T>> node(new CppNode<T>(), deleteNode);
    variable_list input_vars;
    extract_vars(node->is_variable_input_, input_vars, args...);
    bool is_executable = c10::GradMode::is_enabled() && any_variable_requires_grad(input_vars);
    node->set_ctx_grad_fn(node);
    node->clear_input_metadata();
    variable_list outputs = T::forward(&node->ctx_, std::forward<Args>(args)...);
    auto optional = to_optional(outputs);
    auto wrapped = _wrap_outputs(
        input_vars, node->ctx_.get_non_differentiable(), node->ctx_.get_and_bump_dirty(), {optional.data(), optional.size()},
        is_executable ? node : nullptr, [](Variable x) { return x; });
    return to_output_type<variable_list>(wrapped);
  }
};
}  // namespace torch::autograd
