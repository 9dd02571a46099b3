// What tests use of nanobind: names, and what its headers define inline.
#pragma once
#include <cstddef>
#include <stdexcept>

namespace nanobind {
struct value_error : std::runtime_error {
  explicit value_error(const char *what) : std::runtime_error(what) {}
};
struct arg {
  const char *name;
  explicit arg(const char *name) : name(name) {}
};
class module_ {
public:
  template <typename F, typename... Extra> module_ &def(const char *name, F &&f, const Extra &...) { keep(name, reinterpret_cast<void *>(+f)); return *this; }
  void keep(const char *name, void *f);
};
}  // namespace nanobind
#define NB_MODULE(name, variable) \
  static void nanobind_##name##_exec_impl(::nanobind::module_); \
  extern "C" void PyInit_##name() { nanobind_##name##_exec_impl(::nanobind::module_()); } \
  void nanobind_##name##_exec_impl(::nanobind::module_ variable)
