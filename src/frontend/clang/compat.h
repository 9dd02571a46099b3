/* What nvcc (13.0) offers and clang (22) lacks. Included before everything else in each translation unit that SCuBA
   reads; the program itself is never compiled with it. What touches memory is written as plain accesses, which the
   analysis sees, where the toolkit has inline PTX. */
#ifndef SCUBA_COMPAT_H
#define SCUBA_COMPAT_H

#ifdef __cplusplus
#define SCUBA_ASSUME(condition) __builtin_assume(static_cast<bool>(condition))
#else
#define SCUBA_ASSUME(condition) __builtin_assume(!!(condition))
#endif

#ifdef __CUDA__

/* What crt/common_functions.h includes under nvcc: <new> on the device's side alone, but <cuda/barrier> of CUDA 11.8 names no header for
   its placement new on the host's either. */
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <new>
#endif

/* libstdc++'s math.h brings isnan, isfinite, modf and others into the global namespace, where nvcc has them. */
#include <math.h>

/* nvcc says 1, clang says nothing: programs write `#if __CUDACC__`. */
#undef __CUDACC__
#define __CUDACC__ 1

/* What cuda_runtime.h does under nvcc; clang includes that before the device's malloc is declared. */
#ifdef __SCUBA_EXTENDED_LAMBDA__
#define __CUDACC_EXTENDED_LAMBDA__ 1
#include <functional>
#include <utility>
#endif

#define SCUBA_DEVICE static __inline__ __attribute__((device, always_inline, unused))
#define SCUBA_HOST static __inline__ __attribute__((host, always_inline, unused))

/* --- loads and stores with a cache operator (sm_32_intrinsics.h) --- */

#define SCUBA_LOADS(T)                                          \
  SCUBA_DEVICE T __ldca(const T *ptr) { return *ptr; }          \
  SCUBA_DEVICE T __ldlu(const T *ptr) { return *ptr; }

#define SCUBA_STORES(T)                                         \
  SCUBA_DEVICE void __stwb(T *ptr, T value) { *ptr = value; }   \
  SCUBA_DEVICE void __stcg(T *ptr, T value) { *ptr = value; }   \
  SCUBA_DEVICE void __stcs(T *ptr, T value) { *ptr = value; }

#define SCUBA_CACHED(X)                                                                                 \
  X(char) X(signed char) X(unsigned char) X(short) X(unsigned short) X(int) X(unsigned int)             \
  X(long) X(unsigned long) X(long long) X(unsigned long long) X(float) X(double)                        \
  X(char2) X(char4) X(uchar2) X(uchar4) X(short2) X(short4) X(ushort2) X(ushort4) X(int2) X(int4)       \
  X(uint2) X(uint4) X(longlong2) X(ulonglong2) X(float2) X(float4) X(double2)

SCUBA_CACHED(SCUBA_LOADS)
SCUBA_CACHED(SCUBA_STORES)

SCUBA_DEVICE unsigned long __ldcg(const unsigned long *ptr) { return *ptr; }
SCUBA_DEVICE unsigned long __ldcs(const unsigned long *ptr) { return *ptr; }
SCUBA_DEVICE unsigned long __ldcv(const unsigned long *ptr) { return *ptr; }
SCUBA_DEVICE void __stwt(long *ptr, long value) { *ptr = value; }
SCUBA_DEVICE void __stwt(unsigned long *ptr, unsigned long value) { *ptr = value; }

#undef SCUBA_LOADS
#undef SCUBA_STORES
#undef SCUBA_CACHED

/* --- atomics that nvcc 12.8 and later have built in --- */

#ifndef __NV_ATOMIC_RELAXED
enum {
  __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM
};
#endif

#define SCUBA_SCOPE int = __NV_THREAD_SCOPE_SYSTEM
#define SCUBA_FETCH(name)                                                                                       \
  template <class T, class U>                                                                                   \
  SCUBA_DEVICE T __nv_atomic_fetch_##name(T *ptr, U value, int = 0, SCUBA_SCOPE) {                              \
    return __atomic_fetch_##name(ptr, (T)value, __ATOMIC_RELAXED);                                              \
  }                                                                                                             \
  template <class T, class U>                                                                                   \
  SCUBA_DEVICE void __nv_atomic_##name(T *ptr, U value, int = 0, SCUBA_SCOPE) {                                 \
    (void)__atomic_fetch_##name(ptr, (T)value, __ATOMIC_RELAXED);                                               \
  }
SCUBA_FETCH(add)
SCUBA_FETCH(sub)
SCUBA_FETCH(and)
SCUBA_FETCH(or)
SCUBA_FETCH(xor)
SCUBA_FETCH(max)
SCUBA_FETCH(min)

template <class T>
SCUBA_DEVICE void __nv_atomic_load(const T *ptr, T *result, int = 0, SCUBA_SCOPE) {
  __atomic_load(ptr, result, __ATOMIC_RELAXED);
}
template <class T>
SCUBA_DEVICE T __nv_atomic_load_n(const T *ptr, int = 0, SCUBA_SCOPE) {
  T result;
  __atomic_load(ptr, &result, __ATOMIC_RELAXED);
  return result;
}
template <class T>
SCUBA_DEVICE void __nv_atomic_store(T *ptr, T *value, int = 0, SCUBA_SCOPE) {
  __atomic_store(ptr, value, __ATOMIC_RELAXED);
}
template <class T, class U>
SCUBA_DEVICE void __nv_atomic_store_n(T *ptr, U value, int = 0, SCUBA_SCOPE) {
  T copy = (T)value;
  __atomic_store(ptr, &copy, __ATOMIC_RELAXED);
}
template <class T>
SCUBA_DEVICE void __nv_atomic_exchange(T *ptr, T *value, T *result, int = 0, SCUBA_SCOPE) {
  __atomic_exchange(ptr, value, result, __ATOMIC_RELAXED);
}
template <class T, class U>
SCUBA_DEVICE T __nv_atomic_exchange_n(T *ptr, U value, int = 0, SCUBA_SCOPE) {
  T copy = (T)value, result;
  __atomic_exchange(ptr, &copy, &result, __ATOMIC_RELAXED);
  return result;
}
template <class T>
SCUBA_DEVICE bool __nv_atomic_compare_exchange(T *ptr, T *expected, T *desired, bool, int = 0, int = 0, SCUBA_SCOPE) {
  return __atomic_compare_exchange(ptr, expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
template <class T, class U>
SCUBA_DEVICE bool __nv_atomic_compare_exchange_n(T *ptr, T *expected, U desired, bool, int = 0, int = 0, SCUBA_SCOPE) {
  T copy = (T)desired;
  return __atomic_compare_exchange(ptr, expected, &copy, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
SCUBA_DEVICE void __nv_atomic_thread_fence(int = 0, SCUBA_SCOPE) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#undef SCUBA_FETCH
#undef SCUBA_SCOPE

/* --- host overloads that crt/math_functions.h declares under nvcc; clang keeps the device ones only --- */

#define SCUBA_MINMAX(R, A, B)                                          \
  SCUBA_HOST R min(const A a, const B b) { return (R)a < (R)b ? (R)a : (R)b; } \
  SCUBA_HOST R max(const A a, const B b) { return (R)a > (R)b ? (R)a : (R)b; }
SCUBA_MINMAX(int, int, int)
SCUBA_MINMAX(unsigned int, unsigned int, unsigned int)
SCUBA_MINMAX(unsigned int, int, unsigned int)
SCUBA_MINMAX(unsigned int, unsigned int, int)
SCUBA_MINMAX(long, long, long)
SCUBA_MINMAX(unsigned long, unsigned long, unsigned long)
SCUBA_MINMAX(unsigned long, long, unsigned long)
SCUBA_MINMAX(unsigned long, unsigned long, long)
SCUBA_MINMAX(long long, long long, long long)
SCUBA_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SCUBA_MINMAX(unsigned long long, long long, unsigned long long)
SCUBA_MINMAX(unsigned long long, unsigned long long, long long)
SCUBA_MINMAX(float, float, float)
SCUBA_MINMAX(double, double, double)
SCUBA_MINMAX(double, float, double)
SCUBA_MINMAX(double, double, float)
#undef SCUBA_MINMAX

SCUBA_HOST unsigned int umin(const unsigned int a, const unsigned int b) { return a < b ? a : b; }
SCUBA_HOST unsigned int umax(const unsigned int a, const unsigned int b) { return a > b ? a : b; }
SCUBA_HOST long long llmin(const long long a, const long long b) { return a < b ? a : b; }
SCUBA_HOST long long llmax(const long long a, const long long b) { return a > b ? a : b; }
SCUBA_HOST unsigned long long ullmin(const unsigned long long a, const unsigned long long b) { return a < b ? a : b; }
SCUBA_HOST unsigned long long ullmax(const unsigned long long a, const unsigned long long b) { return a > b ? a : b; }
SCUBA_HOST void sincos(const float a, float *s, float *c) { ::sincosf(a, s, c); }

/* --- the rest --- */

/* A shared variable without its constructor, which nvcc does not run either. */
template <class T>
union scuba_uninitialised {
  T value;
  __attribute__((host, device)) scuba_uninitialised() {}
  __attribute__((host, device)) ~scuba_uninitialised() {}
};

/* An argument for `...`: nvcc passes the bytes of an object, without a call of its copy constructor. */
template <class T>
struct scuba_bytes {
  alignas(T) unsigned char at[sizeof(T)];
};
template <bool is_object>
struct scuba_for_ellipsis {
  template <class T>
  static __attribute__((host, device)) const T &of(const T &x) {
    return x;
  }
};
template <>
struct scuba_for_ellipsis<true> {
  template <class T>
  static __attribute__((host, device)) scuba_bytes<T> of(const T &x) {
    scuba_bytes<T> bytes;
    __builtin_memcpy(&bytes, &reinterpret_cast<const unsigned char &>(x), sizeof bytes);
    return bytes;
  }
};
template <class T>
inline __attribute__((host, device)) decltype(scuba_for_ellipsis<__is_class(T) || __is_union(T)>::of(*(const T *)0))
scuba_passed(const T &x) {
  return scuba_for_ellipsis<__is_class(T) || __is_union(T)>::of(x);
}

/* clang knows managed variables for HIP only; as device variables they have a host-side shadow just so. The annotation says
   that kernels may use the shadow's address. */
#undef __managed__
#define __managed__ __attribute__((device, annotate("scuba:managed")))

SCUBA_DEVICE float __tanhf(float x) { return ::tanhf(x); }
/* crt/math_functions.h declares it for both sides, glibc for the host alone. */
SCUBA_DEVICE int __signbit(double x) { return __builtin_signbit(x); }

#undef __prof_trigger
#define __prof_trigger(counter) ((void)(counter))

/* clang 22 does not know __block_size__, and drops __cluster_dims__ from code for NVPTX: a kernel bears both as annotations
   (frontend/llvm/shapes.rs). */
#ifdef __CUDA_ARCH__
#define SCUBA_TUPLE(...) __VA_ARGS__
#define SCUBA_BLOCK_SIZE(block, ...) \
  __attribute__((annotate("scuba:block_size", SCUBA_TUPLE block __VA_OPT__(, SCUBA_TUPLE __VA_ARGS__))))
#define SCUBA_CLUSTER_DIMS(...) __attribute__((annotate("scuba:cluster_dims" __VA_OPT__(, __VA_ARGS__))))
#else
#define SCUBA_BLOCK_SIZE(...)
#define SCUBA_CLUSTER_DIMS(...)
#endif
#ifdef __block_size__
#undef __block_size__
#define __block_size__(...) SCUBA_BLOCK_SIZE(__VA_ARGS__)
#endif
#ifdef __cluster_dims__
#undef __cluster_dims__
#define __cluster_dims__(...) SCUBA_CLUSTER_DIMS(__VA_ARGS__)
#endif

/* Tile kernels (nvcc 13.3, -enable-tile): functions that run once for each block, on whole arrays. Their library is functions that the
   compiler has. To clang they are kernels and functions of the device; the annotation keeps them apart (frontend/llvm/tiles.rs). Without the
   flag nvcc ignores these words, as clang does the attributes that the toolkit makes of them. */
#ifdef __CUDACC_TILE__
#undef __tile_global__
#undef __tile__
#undef __tile_builtin__
#undef __experimental_foreign_decl__
#undef __experimental_foreign_name__
#ifdef __CUDA_ARCH__
#define __tile_global__ __attribute__((global, annotate("scuba:tile")))
#else
#define __tile_global__ __attribute__((global))
#endif
#define __tile__ __attribute__((device))
#define __tile_builtin__ __attribute__((device))
#define __experimental_foreign_decl__ __attribute__((device))
#define __experimental_foreign_name__(name)
#endif

/* nvcc 13.0 declares it with this default, so that `k<<<n>>>` is a launch of blocks of one thread. */
#ifdef __cplusplus
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim = 1, size_t sharedMem, void *stream);
#endif

/* A kernel that launches one. The second version of the launch is a function that nothing defines: it may do whatever can be done with its
   arguments, and with the device's variables. */
#if defined(__CUDACC_RDC__) && defined(__CUDA_ARCH__)
extern "C" __device__ cudaError_t scuba_launch_by_a_kernel(void *function, void *parameters);
/* Where the toolkit has them, it hides their names behind empty macros in the end. */
#ifdef __cudaCDP2LaunchDevice
#undef __cudaCDP2GetParameterBuffer
#undef __cudaCDP2GetParameterBufferV2
#undef __cudaCDP2LaunchDevice
#undef __cudaCDP2LaunchDevice_ptsz
#undef __cudaCDP2LaunchDeviceV2
#undef __cudaCDP2LaunchDeviceV2_ptsz
#define SCUBA_LAUNCH(name) __cudaCDP2##name
#else
#define SCUBA_LAUNCH(name) cuda##name
#endif
#define SCUBA_LAUNCHES(suffix)                                                                                               \
  __device__ cudaError_t SCUBA_LAUNCH(LaunchDevice##suffix)(void *, void *, dim3, dim3, unsigned int, cudaStream_t);         \
  inline __device__ cudaError_t SCUBA_LAUNCH(LaunchDeviceV2##suffix)(void *p, cudaStream_t) {                                  \
    return scuba_launch_by_a_kernel(0, p);                                                                                   \
  }
extern "C" {
__device__ void *SCUBA_LAUNCH(GetParameterBuffer)(size_t, size_t);
/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 4 KiB of parameters (32,764 bytes since sm_70). */
inline __device__ void *SCUBA_LAUNCH(GetParameterBufferV2)(void *, dim3, dim3, unsigned int) { return malloc(32764); }
SCUBA_LAUNCHES()
SCUBA_LAUNCHES(_ptsz)
}
#undef SCUBA_LAUNCHES
#undef SCUBA_LAUNCH
#endif

/* Type traits of extended lambdas: clang captures lambdas without a wrapper, so none is one of nvcc's closures. */
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) false

/* --- two numbers at once (sm_100_rt.h of CUDA 12.9) --- */

#if CUDA_VERSION >= 12090 && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000)
#define SCUBA_PAIRS(mode)                                                                                       \
  SCUBA_DEVICE float2 __fadd2_##mode(float2 x, float2 y) {                                                      \
    return make_float2(__fadd_##mode(x.x, y.x), __fadd_##mode(x.y, y.y));                                       \
  }                                                                                                             \
  SCUBA_DEVICE float2 __fmul2_##mode(float2 x, float2 y) {                                                      \
    return make_float2(__fmul_##mode(x.x, y.x), __fmul_##mode(x.y, y.y));                                       \
  }                                                                                                             \
  SCUBA_DEVICE float2 __ffma2_##mode(float2 x, float2 y, float2 z) {                                            \
    return make_float2(__fmaf_##mode(x.x, y.x, z.x), __fmaf_##mode(x.y, y.y, z.y));                             \
  }
SCUBA_PAIRS(rn)
SCUBA_PAIRS(rz)
SCUBA_PAIRS(rd)
SCUBA_PAIRS(ru)
#undef SCUBA_PAIRS
#endif

/* --- __float128 in code of the device (nvcc 13.0, sm_100) --- */

/* clang 22 has no such type for NVPTX. This one has its size and alignment, and no value that anybody knows: whatever is computed comes from
   functions that nothing defines, by names that libdevice reserves. Where a constant is demanded it is none. */
#ifdef __SCUBA_FLOAT128__
extern "C" __attribute__((device)) double __nv_fp128_of_double(double);
extern "C" __attribute__((device)) double __nv_fp128_of_integer(unsigned long long);
extern "C" __attribute__((device)) double __nv_fp128_combined(double, double, double, double);
extern "C" __attribute__((device)) double __nv_fp128_as_double(double, double);
extern "C" __attribute__((device)) long long __nv_fp128_as_integer(double, double);
extern "C" __attribute__((device)) int __nv_fp128_compared(double, double, double, double);

#define SCUBA_BOTH __attribute__((host, device))
#define SCUBA_IF(condition) typename scuba_if<(condition)>::type = 0
template <bool> struct scuba_if {};
template <> struct scuba_if<true> { typedef int type; };
template <class T> struct scuba_kind {
  static const int of = __is_enum(T) || __is_integral(T) ? 1 : __is_floating_point(T) ? 2 : 0;
};

typedef double scuba_pair __attribute__((ext_vector_type(2)));
struct scuba_float128 {
  scuba_pair part;

  scuba_float128() = default;
  template <class T, SCUBA_IF(scuba_kind<T>::of == 1)> SCUBA_BOTH scuba_float128(const T &x) {
    part = scuba_pair{__nv_fp128_of_integer((unsigned long long)x), __nv_fp128_of_integer((unsigned long long)x)};
  }
  /* Literals of the type itself come by address: their value is not looked at. */
  template <class T, SCUBA_IF(scuba_kind<T>::of == 2), class = void> SCUBA_BOTH scuba_float128(const T &) {
    part = scuba_pair{__nv_fp128_of_double(0), __nv_fp128_of_double(0)};
  }
  template <class T, SCUBA_IF(scuba_kind<T>::of == 1)> SCUBA_BOTH operator T() const {
    return (T)__nv_fp128_as_integer(part[0], part[1]);
  }
  template <class T, SCUBA_IF(scuba_kind<T>::of == 2), class = void> SCUBA_BOTH operator T() const {
    return (T)__nv_fp128_as_double(part[0], part[1]);
  }
};

SCUBA_BOTH inline scuba_float128 scuba_combined(scuba_float128 a, scuba_float128 b) {
  scuba_float128 c;
  c.part = scuba_pair{__nv_fp128_combined(a.part[0], a.part[1], b.part[0], b.part[1]),
                      __nv_fp128_combined(a.part[0], a.part[1], b.part[0], b.part[1])};
  return c;
}
SCUBA_BOTH inline bool scuba_compared(scuba_float128 a, scuba_float128 b) {
  return __nv_fp128_compared(a.part[0], a.part[1], b.part[0], b.part[1]) != 0;
}
#define SCUBA_QUAD(R, op, does) \
  SCUBA_BOTH inline R operator op(scuba_float128 a, scuba_float128 b) { return does(a, b); } \
  template <class T, SCUBA_IF(scuba_kind<T>::of != 0)> SCUBA_BOTH R operator op(scuba_float128 a, const T &b) { \
    return does(a, b); \
  } \
  template <class T, SCUBA_IF(scuba_kind<T>::of != 0)> SCUBA_BOTH R operator op(const T &a, scuba_float128 b) { \
    return does(a, b); \
  }
SCUBA_QUAD(scuba_float128, +, scuba_combined)
SCUBA_QUAD(scuba_float128, -, scuba_combined)
SCUBA_QUAD(scuba_float128, *, scuba_combined)
SCUBA_QUAD(scuba_float128, /, scuba_combined)
SCUBA_QUAD(bool, <, scuba_compared)
SCUBA_QUAD(bool, <=, scuba_compared)
SCUBA_QUAD(bool, >, scuba_compared)
SCUBA_QUAD(bool, >=, scuba_compared)
SCUBA_QUAD(bool, ==, scuba_compared)
SCUBA_QUAD(bool, !=, scuba_compared)
#undef SCUBA_QUAD
#define SCUBA_QUAD(op) \
  template <class T> SCUBA_BOTH scuba_float128 &operator op(scuba_float128 &a, const T &b) { \
    return a = scuba_combined(a, scuba_float128(b)); \
  } \
  template <class T, SCUBA_IF(scuba_kind<T>::of != 0)> SCUBA_BOTH T &operator op(T &a, scuba_float128 b) { \
    return a = (T)scuba_combined(scuba_float128(a), b); \
  }
SCUBA_QUAD(+=)
SCUBA_QUAD(-=)
SCUBA_QUAD(*=)
SCUBA_QUAD(/=)
#undef SCUBA_QUAD
SCUBA_BOTH inline scuba_float128 operator+(scuba_float128 a) { return a; }
SCUBA_BOTH inline scuba_float128 operator-(scuba_float128 a) { return scuba_combined(a, a); }
SCUBA_BOTH inline bool operator!(scuba_float128 a) { return scuba_compared(a, a); }
SCUBA_BOTH inline scuba_float128 &operator++(scuba_float128 &a) { return a = scuba_combined(a, a); }
SCUBA_BOTH inline scuba_float128 &operator--(scuba_float128 &a) { return a = scuba_combined(a, a); }
SCUBA_BOTH inline scuba_float128 operator++(scuba_float128 &a, int) { scuba_float128 b = a; ++a; return b; }
SCUBA_BOTH inline scuba_float128 operator--(scuba_float128 &a, int) { scuba_float128 b = a; --a; return b; }
#undef SCUBA_BOTH
#undef SCUBA_IF
#define __float128 scuba_float128
#define _Float128 scuba_float128
#endif

#undef SCUBA_DEVICE
#undef SCUBA_HOST

/* Host code calls functions that are the device's only here, where `__CUDA_ARCH__` is defined. It is none of this side, and nvcc does not look
   at it. */
#ifdef __SCUBA_DEVICE_ON_BOTH__
#undef __device__
#define __device__ __attribute__((device)) __attribute__((host))
#endif

#endif /* __CUDA__ */
#endif
