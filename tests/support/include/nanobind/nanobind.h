// What tests use of nanobind: names, and what its headers define inline.
#pragma once
#include <cstddef>
#include <stdexcept>

namespace nanobind {
// As in nanobind 2: what the library defines is not inline.
enum class exception_type { runtime_error, stop_iteration, index_error, key_error, value_error };
class builtin_exception : public std::runtime_error {
  exception_type m_type;

public:
  builtin_exception(exception_type type, const char *what);
  builtin_exception(builtin_exception &&) = default;
  builtin_exception(const builtin_exception &) = default;
  ~builtin_exception();
  exception_type type() const { return m_type; }
};
inline builtin_exception value_error(const char *what = nullptr) { return builtin_exception(exception_type::value_error, what); }
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
