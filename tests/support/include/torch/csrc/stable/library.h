// How operators of the stable ABI are registered (torch/csrc/stable/library.h of PyTorch 2.10 to 2.13).
#pragma once
#include <torch/csrc/stable/tensor.h>
#include <tuple>
#include <utility>
using StableIValue = uint64_t;
namespace torch::stable::detail {
class StableLibrary final {
public:
  StableLibrary &impl(const char *name, void (*f)(StableIValue *, uint64_t, uint64_t)) { keep(name, f); return *this; }
  StableLibrary &def(const char *schema) { keep(schema, nullptr); return *this; }
  void keep(const char *name, void (*f)(StableIValue *, uint64_t, uint64_t));
};
struct StableTorchLibraryInit {
  StableLibrary lib;
  StableTorchLibraryInit(void (*f)(StableLibrary &)) { f(lib); }
};
template <typename T> T to(StableIValue v) {
  if constexpr (std::is_same_v<T, Tensor>) return Tensor(reinterpret_cast<AtenTensorHandle>(v));
  else return static_cast<T>(v);
}
StableIValue from(const Tensor &t);
template <typename F, F *f> struct boxer;
template <typename R, typename... P, R (*f)(P...)> struct boxer<R(P...), f> {
  static void boxed_fn(StableIValue *stack, uint64_t, uint64_t) { call(stack, std::index_sequence_for<P...>()); }
  template <size_t... I> static void call(StableIValue *stack, std::index_sequence<I...>) {
    std::tuple<std::decay_t<P>...> args{to<std::decay_t<P>>(stack[I])...};
    if constexpr (std::is_void_v<R>) std::apply(f, args);
    else stack[0] = from(std::apply(f, args));
  }
};
}  // namespace torch::stable::detail
#define TORCH_BOX(func) torch::stable::detail::boxer<std::remove_pointer_t<std::remove_reference_t<decltype(func)>>, (func)>::boxed_fn
#define STABLE_TORCH_LIBRARY_WITH(name, m)                                              \
  static void name(torch::stable::detail::StableLibrary &);                            \
  static const torch::stable::detail::StableTorchLibraryInit name##_static(&name);      \
  void name(torch::stable::detail::StableLibrary &m)
#define STABLE_TORCH_LIBRARY(ns, m) STABLE_TORCH_LIBRARY_WITH(STABLE_TORCH_LIBRARY_init_##ns, m)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) STABLE_TORCH_LIBRARY_WITH(STABLE_TORCH_LIBRARY_FRAGMENT_init_##ns##_0, m)
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) STABLE_TORCH_LIBRARY_WITH(STABLE_TORCH_LIBRARY_IMPL_init_##ns##_##key##_0, m)
