// Functions of nanobind with arrays of many types, which print what they are given. The same text is compiled twice: by g++ as an extension with
// nanobind's own headers and sources (`tools/real-libraries.py`, with REAL), and for the concrete interpreter, which is given tensors as a caller is
// (`templates/models/dlpack.cpp`). What nanobind refuses of its own accord no function prints.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <complex>
#include <cstdio>

namespace nb = nanobind;

#ifdef REAL
#include <nanobind/stl/string.h>
#include <string>
static std::string text;
template <typename... Args> static void say(const char *format, Args... args) {
  char part[64];
  snprintf(part, sizeof part, format, args...);
  text += part;
}
#else
#define say printf
// In place of the engines, as in `tests/models/tensors/operations.cu`: numbers that are not known are asked for with a seed on standard input.
static long doubt = -1;
extern "C" long __scuba_known(long n) {
  if (doubt < 0 && scanf("%ld", &doubt) != 1) doubt = 0;
  if (doubt == 0) return n;
  unsigned long mixed = (static_cast<unsigned long>(n) * 0x9e3779b97f4a7c15 ^ doubt) * 0xbf58476d1ce4e5b9;
  return (mixed >> 40) % 3 != 0 ? n : -1;
}
extern "C" void __scuba_axiom(bool holds) { if (!holds) printf("{0}"); }
__global__ void last() {}
#endif

template <typename Array> static void show(const Array &a) {
  auto type = a.dtype();
  say("=%d %d %d %d %d", type.code, type.bits, type.lanes, (int)a.device_type(), (int)a.ndim());
  say(" :");
  for (size_t i = 0; i < a.ndim(); i++) say(" %ld", (long)a.shape(i));
  say(" :");
  for (size_t i = 0; i < a.ndim(); i++) say(" %ld", (long)a.stride(i));
  say(" : %ld %d=", (long)a.size(), (int)a.is_valid());
#ifndef REAL
  last<<<1, 1>>>();
#endif
}

#define ARRAYS(F)                                                                                                                          \
  F(any, nb::ndarray<>) F(f32, nb::ndarray<float>) F(f64, nb::ndarray<const double>) F(i8, nb::ndarray<int8_t>) F(i16, nb::ndarray<int16_t>) \
  F(i32, nb::ndarray<int>) F(i64, nb::ndarray<int64_t>) F(ll, nb::ndarray<long long>) F(u8, nb::ndarray<uint8_t>) F(u16, nb::ndarray<unsigned short>) \
  F(u32, nb::ndarray<uint32_t>) F(u64, nb::ndarray<const uint64_t>) F(character, nb::ndarray<char>) F(flag, nb::ndarray<bool>)                       \
  F(c64, nb::ndarray<std::complex<float>>) F(c128, nb::ndarray<std::complex<double>>) F(ro, nb::ndarray<nb::ro>) F(f32_ro, nb::ndarray<float, nb::ro>) \
  F(cpu, nb::ndarray<nb::device::cpu>) F(cuda, nb::ndarray<nb::device::cuda>)                                                              \
  F(d0, nb::ndarray<nb::ndim<0>>) F(d1, nb::ndarray<nb::ndim<1>>) F(d2, nb::ndarray<nb::ndim<2>>) F(d3, nb::ndarray<float, nb::ndim<3>>)      \
  F(d4, nb::ndarray<nb::ndim<4>>) F(s3, nb::ndarray<nb::shape<3>>) F(s_4, nb::ndarray<nb::shape<-1, 4>>) F(s2_3, nb::ndarray<nb::shape<2, -1, 3>>)  \
  F(s1_1, nb::ndarray<float, nb::shape<1, -1>>) F(s0, nb::ndarray<nb::shape<0, -1>>) F(c, nb::ndarray<nb::c_contig>) F(f, nb::ndarray<nb::f_contig>) \
  F(a, nb::ndarray<nb::any_contig>) F(c2, nb::ndarray<nb::ndim<2>, nb::c_contig>) F(f2, nb::ndarray<nb::ndim<2>, nb::f_contig>)               \
  F(a3, nb::ndarray<nb::ndim<3>, nb::any_contig>) F(all, nb::ndarray<const float, nb::shape<-1, 4>, nb::device::cuda, nb::c_contig>)         \
  F(cpu_all, nb::ndarray<double, nb::device::cpu, nb::ndim<2>, nb::f_contig>) F(numpy, nb::ndarray<nb::numpy, float, nb::ndim<2>>)           \
  F(pytorch, nb::ndarray<nb::pytorch, nb::c_contig, nb::device::cpu, int>)

#define FUNCTION(name, ...) static void name##_of(__VA_ARGS__ x) { show(x); }
ARRAYS(FUNCTION)

NB_MODULE(arrays, m) {
#ifdef REAL
#define REGISTERED(name, ...) m.def(#name, [](__VA_ARGS__ x) { text.clear(); name##_of(x); return text; }, nb::arg("x").noconvert());
#else
#define REGISTERED(name, ...) m.def(#name, &name##_of, nb::arg("x"));
#endif
  ARRAYS(REGISTERED)
}
