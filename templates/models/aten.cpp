// What ATen's functions do with tensors, as far as shapes, types and storage depend on it (PyTorch 2.11, ATen/core/TensorBase.h, TensorBody.h,
// c10/core/TensorImpl.h and TensorOptions.h; torch.Tensor's documentation for what an operation gives).
//
// Both engines run these functions in place of the library's. Each has the demangled name of the function that it stands for, without
// its return type, as its own name; `*` stands for any text. Sizes and strides are in elements, extents in bytes. A tensor that a caller gave
// has the least storage that its sizes and strides need, from its first element on. Storage is never freed, nor are references counted.
// What an operation that is not here gives is not known, and is named as such.

using int8_t = signed char;
using int64_t = long;
using size_t = unsigned long;

void *operator new(size_t);

extern "C" {
// New memory of the device, that many bytes, and what it holds: nothing yet (0), zeros (1), numbers that are not known (2).
void *__scuba_device_memory(size_t bytes, int holds);
// The same with the elements of a tensor's storage; whether they lie there in order, without gaps.
void *__scuba_device_copy(size_t bytes, const void *of, bool in_order);
// Bytes from a pointer to the end of its object.
long __scuba_extent(const void *p);
// The number, where it is one on this path; -1 where it may be several.
long __scuba_known(long n);
// What holds of a tensor that a caller gave. No assumption of the user's.
void __scuba_axiom(bool holds);
// The product, which does not overflow.
long __scuba_times(long a, long b);
// What the storage behind holds from now on is not known.
void __scuba_written(void *p);
// A number of which nothing is known but its bounds.
long __scuba_any(long least, long most);
// What the caller's thread has set: a run is one with the least.
long __scuba_setting(long least, long most);
}

namespace scuba {

constexpr int MOST = 64;  // dimensions (at::kDimVectorStaticSize is no bound; dim_bitset_size is, ATen/WrapDimUtilsMulti.h)

// What a handle of type at::Tensor points to.
struct Tensor {
  void *data;
  int64_t dim;
  int64_t numel;
  int64_t lead;  // elements but for the last dimension
  int8_t dtype;
  int8_t device;  // c10::DeviceType
  bool contiguous;
  bool made;  // by the program: its storage is as long as it was made
  bool packed;  // made as a contiguous tensor, before its dimensions were known perhaps
  int64_t sizes[MOST];
  int64_t strides[MOST];
  int64_t last[4];  // sizes from the last dimension on
  int64_t rest[MOST];  // elements of the dimensions from this one on
};

}  // namespace scuba

using Impl = scuba::Tensor;
struct Handle { Impl *impl; };
struct Options { int8_t device_type, device_index; unsigned short dtype; int8_t layout, format; unsigned char has, pad; };

#define MODEL(name) __attribute__((used)) __asm__("scuba.model " name)
#define INLINE static inline __attribute__((always_inline))

namespace {
[[noreturn]] void fail() { throw 1; }
}

enum Type : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, BFloat16 = 15, Undefined = 44 };

static int64_t item_size(int8_t type) {
  switch (__scuba_known(type)) {
    case Byte: case Char: case Bool: return 1;
    case Short: case Half: case BFloat16: return 2;
    case Int: case Float: case ComplexHalf: return 4;
    case Long: case Double: case ComplexFloat: return 8;
    case ComplexDouble: return 16;
    case 27: return 2;  // UInt16
    case 14: case 28: return 4;  // QInt32, UInt32
    case 29: return 8;  // UInt64
  }
  switch (type) {
    case Byte: case Char: case Bool: return 1;
    case Short: case Half: case BFloat16: return 2;
    case Int: case Float: case ComplexHalf: return 4;
    case Long: case Double: case ComplexFloat: return 8;
    case ComplexDouble: return 16;
    case 27: return 2;  // UInt16
    case 14: case 28: return 4;  // QInt32, UInt32
    case 29: return 8;  // UInt64
    default: return 1;  // eight-bit floating-point and quantised types
  }
}

INLINE int64_t times(int64_t a, int64_t b) { return __scuba_times(a, b); }

static int64_t product(const Impl *t, int64_t dim) {
  const int64_t *s = t->sizes;
  switch (dim) {
    case 0: return 1;
    case 1: return s[0];
    case 2: return times(s[0], s[1]);
    case 3: return times(times(s[0], s[1]), s[2]);
    case 4: return times(times(times(s[0], s[1]), s[2]), s[3]);
    case 5: return times(times(times(times(s[0], s[1]), s[2]), s[3]), s[4]);
    case 6: return times(times(times(times(times(s[0], s[1]), s[2]), s[3]), s[4]), s[5]);
  }
  return t->numel;
}

static int64_t elements(const Impl *t) {
  if (t->made) return t->numel;
  int64_t dim = __scuba_known(t->dim);
  if (dim >= 0) return product(t, dim);
  return t->numel;
}

// What the sizes of a tensor that was given, or made of one whose dimensions were not known, have to do with each other.
static void relate(const Impl *t) {
  if (t->made && !t->packed) return;
  int64_t dim = __scuba_known(t->dim);
  if (dim >= 0) {
    __scuba_axiom(t->numel == product(t, dim));
    if (dim > 0) __scuba_axiom(t->last[0] == t->sizes[dim - 1]);
    if (dim > 1) __scuba_axiom(t->last[1] == t->sizes[dim - 2]);
    if (dim > 2) __scuba_axiom(t->last[2] == t->sizes[dim - 3]);
  } else {
    __scuba_axiom(t->dim == 0 ? t->numel == 1 : t->numel == times(t->lead, t->last[0]));
  }
}

// Elements from the first one to the last, for the dimensions from d on.
INLINE int64_t reach(const Impl *t, int d) { return times(t->sizes[d] - 1, t->strides[d]); }

// The last element, from the first one on, of a tensor of some elements; -1 where it has many dimensions.
static int64_t last_element(const Impl *t, int64_t dim) {
  switch (dim) {
    case 0: return 0;
    case 1: return reach(t, 0);
    case 2: return reach(t, 0) + reach(t, 1);
    case 3: return reach(t, 0) + reach(t, 1) + reach(t, 2);
    case 4: return reach(t, 0) + reach(t, 1) + reach(t, 2) + reach(t, 3);
    case 5: return reach(t, 0) + reach(t, 1) + reach(t, 2) + reach(t, 3) + reach(t, 4);
  }
  return -1;
}

// Elements of the dimensions behind one.
static int64_t behind(const Impl *t, int64_t dim, int d) {
  int64_t n = 1;
  if (dim > d + 1) n = times(n, t->sizes[d + 1]);
  if (dim > d + 2) n = times(n, t->sizes[d + 2]);
  if (dim > d + 3) n = times(n, t->sizes[d + 3]);
  if (dim > d + 4) n = times(n, t->sizes[d + 4]);
  return n;
}

// The strides of a contiguous tensor, but for those of dimensions of size 1 and of tensors without elements, which may be any
// (c10/core/Contiguity.h).
#define PACKED(i) if (dim > i) __scuba_axiom(elements(t) == 0 || t->sizes[i] == 1 || t->strides[i] == behind(t, dim, i));
static void strides_of(const Impl *t) {
  relate(t);
  int64_t dim = __scuba_known(t->dim);
  if (dim < 1 || dim > 5) return;
  if (t->made ? !t->packed : __scuba_known(t->contiguous) != 1) return;
  if (elements(t) != 0) __scuba_axiom(elements(t) == 1 + last_element(t, dim));
  PACKED(0) PACKED(1) PACKED(2) PACKED(3) PACKED(4)
}

// How long the storage of a given tensor is.
static void lay_out(const Impl *t) {
  relate(t);
  if (t->made) return;
  int64_t item = item_size(t->dtype), dim = __scuba_known(t->dim);
  if (__scuba_known(t->contiguous) == 1) {
    __scuba_axiom(__scuba_extent(t->data) == times(item, elements(t)));
    return;
  }
  int64_t last = dim < 0 ? -1 : last_element(t, dim);
  if (dim < 0 || dim > 5) {
    __scuba_axiom(__scuba_extent(t->data) >= 0);
    return;
  }
  if (elements(t) == 0) __scuba_axiom(__scuba_extent(t->data) == 0);
  else __scuba_axiom(__scuba_extent(t->data) == times(item, 1 + last));
}

// The elements of a tensor that has dimensions up to this one, and perhaps more.
#define FACTOR(i) if (d >= i) __scuba_axiom((i == 0 ? t->numel : t->rest[i]) == times(t->sizes[i], t->rest[i + 1]));
static void factors(const Impl *t, int64_t d) { FACTOR(0) FACTOR(1) FACTOR(2) FACTOR(3) FACTOR(4) FACTOR(5) }

// c10::maybe_wrap_dim. What is asked beyond the dimensions throws.
static int64_t wrapped(const Impl *t, int64_t d) {
  int64_t dim = __scuba_known(t->dim);
  if (dim >= 0) {
    if (d < 0) d += dim;
    if (d < 0 || d >= dim) fail();
    return d;
  }
  if (d >= 0) {
    if (d >= t->dim) fail();
    if (!t->made) factors(t, d);
    return d;
  }
  if (d < -t->dim) fail();
  return d + t->dim;
}

static int64_t size_at(const Impl *t, int64_t d) {
  int64_t at = wrapped(t, d);
  if (d < 0 && d >= -4 && __scuba_known(t->dim) < 0) return t->last[-1 - d];
  return t->sizes[at];
}

#define EIGHT(of) of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7)

// A tensor of which nothing is known but that it is one.
#define ANY_SIZE(i) t->sizes[i] = __scuba_any(0, 1L << 40); t->strides[i] = __scuba_any(0, 1L << 40);
static void anything(Impl *t) {
  t->dim = __scuba_any(0, scuba::MOST);
  t->numel = __scuba_any(0, 1L << 47);
  t->lead = __scuba_any(0, 1L << 47);
  t->dtype = __scuba_any(0, Undefined);
  t->device = __scuba_any(0, 20);
  t->contiguous = __scuba_any(0, 1);
  t->made = true;
  t->packed = false;
  EIGHT(ANY_SIZE)
  t->last[0] = __scuba_any(0, 1L << 40);
  t->last[1] = __scuba_any(0, 1L << 40);
  t->last[2] = __scuba_any(0, 1L << 40);
  t->last[3] = __scuba_any(0, 1L << 40);
  t->data = __scuba_device_memory(__scuba_any(0, 1L << 47), 2);
}
static Impl *any_tensor() {
  Impl *t = static_cast<Impl *>(operator new(sizeof(Impl)));
  anything(t);
  return t;
}

// A tensor with its own storage; sizes are filled in by the caller.
static Impl *fresh(int8_t dtype, int8_t device) {
  Impl *t = static_cast<Impl *>(operator new(sizeof(Impl)));
  t->dtype = dtype;
  t->device = device;
  t->contiguous = true;
  t->made = true;
  t->packed = false;
  return t;
}

// Storage of so many bytes, with the elements of another tensor where one is named.
static void *storage(int64_t bytes, const Impl *of) {
  // Operations in place change what it holds without being followed.
  if (!of || of->made) return __scuba_device_memory(bytes, 2);
  return __scuba_device_copy(bytes, of->data, __scuba_known(of->contiguous) == 1);
}

// Strides and storage of a tensor whose sizes are there. Without a loop: each number is known by itself.
#define DIMENSION(i)                                      \
  if (dim > i) {                                          \
    t->strides[i] = n;                                    \
    n = times(n, t->sizes[i]);                            \
  }
static void finish(Impl *t, int64_t dim, const Impl *of = nullptr) {
  int64_t n = 1;
  t->dim = dim;
  DIMENSION(7) DIMENSION(6) DIMENSION(5) DIMENSION(4) DIMENSION(3) DIMENSION(2) DIMENSION(1) DIMENSION(0)
  t->numel = n;
  t->data = storage(times(n, item_size(t->dtype)), of);
}

#define SIZE(i)                   \
  if (dim > i) {                  \
    if (sizes[i] < 0) fail();     \
    t->sizes[i] = sizes[i];       \
  }
static Impl *of_sizes(const int64_t *sizes, size_t dim, int8_t dtype, int8_t device) {
  Impl *t = fresh(dtype, device);
  if (__scuba_known(dim) < 0 || dim > 8) {
    anything(t);
    t->dtype = dtype;
    t->device = device;
    t->contiguous = true;
    t->packed = true;
    t->dim = dim;
    return t;
  }
  SIZE(0) SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(6) SIZE(7)
  finish(t, dim);
  return t;
}

// The shape of another tensor.
#define COPY_SIZE(i) t->sizes[i] = o->sizes[i];
#define ANY_STRIDE(i) t->strides[i] = __scuba_any(0, 1L << 40);
static void same_from_the_end(Impl *t, const Impl *o) {
  t->last[0] = o->last[0];
  t->last[1] = o->last[1];
  t->last[2] = o->last[2];
  t->last[3] = o->last[3];
  t->lead = o->lead;
}
static Impl *like(const Impl *o, int8_t dtype, int8_t device, bool preserved = true, const Impl *of = nullptr) {
  Impl *t = fresh(dtype, device);
  int64_t dim = __scuba_known(o->dim);
  EIGHT(COPY_SIZE)
  if (dim >= 0 && dim <= 8) {
    relate(o);
    finish(t, dim, of);
    // Strides are kept where the other's are those of a permuted tensor (torch.preserve_format).
    if (preserved && __scuba_known(o->contiguous) != 1) {
      EIGHT(ANY_STRIDE)
      t->contiguous = __scuba_any(0, 1);
    }
    return t;
  }
  t->dim = o->dim;
  if (preserved && __scuba_known(o->contiguous) != 1) t->contiguous = __scuba_any(0, 1);
  else t->packed = true;
  EIGHT(ANY_STRIDE)
  same_from_the_end(t, o);
  t->numel = o->numel;
  t->data = storage(times(t->numel, item_size(t->dtype)), of);
  return t;
}

// A tensor itself, or its elements in order, where which of them is not known.
static Impl *contiguous_of(const Impl *o) {
  Impl *t = fresh(o->dtype, o->device);
  EIGHT(COPY_SIZE)
  EIGHT(ANY_STRIDE)
  t->dim = o->dim;
  t->packed = true;
  same_from_the_end(t, o);
  relate(o);
  t->numel = elements(o);
  t->data = storage(times(t->numel, item_size(t->dtype)), o);
  return t;
}

// No option is given.
void no_options(Options *o) MODEL("c10::TensorOptions::TensorOptions()");
void no_options(Options *o) {
  o->device_type = 0;
  o->device_index = -1;
  o->dtype = Float;
  o->layout = o->format = 0;
  o->has = o->pad = 0;
}

// Options' type and device, where they were given (c10/core/TensorOptions.h: has_device_ is bit 2, has_dtype_ bit 3).
INLINE int8_t dtype_of(const Options &o) { return (o.has & 8) ? static_cast<int8_t>(o.dtype) : Float; }
INLINE int8_t device_of(const Options &o) { return (o.has & 4) ? o.device_type : 0; }
INLINE int8_t dtype_or(const Options &o, const Impl *t) { return (o.has & 8) ? static_cast<int8_t>(o.dtype) : t->dtype; }
INLINE int8_t device_or(const Options &o, const Impl *t) { return (o.has & 4) ? o.device_type : t->device; }

// ---- checks ----

// What puts together the message of a check that failed, and what throws it (c10/util/Exception.h, torch/headeronly/util/Exception.h).
#define FAILS(id, name)       \
  void id() MODEL("!! " name); \
  void id() { fail(); }
FAILS(check_message, "c10::detail::torchCheckMsgImpl<*")
FAILS(check_message_alone, "c10::detail::torchCheckMsgImpl(*")
FAILS(check_fail, "c10::detail::torchCheckFail(*")
FAILS(assert_fail, "c10::detail::torchInternalAssertFail(*")
FAILS(header_check, "torch::headeronly::detail::throw_exception(*")
// It is called of every status, and throws where that is an error (c10/cuda/CUDAException.h).
void cuda_check(int status) MODEL("! c10::cuda::c10_cuda_check_implementation(*");
void cuda_check(int status) { if (status != 0) fail(); }

// libstdc++'s std::string, empty: a message that nobody reads here.
struct String { char *p; size_t n; char own[16]; };
#define SAYS(id, name)                 \
  void id(String *out) MODEL("! " name); \
  void id(String *out) { out->p = out->own; out->n = 0; out->own[0] = 0; }
SAYS(str, "c10::str<*")
SAYS(str_wrapper, "c10::detail::_str_wrapper<*")
SAYS(device_name, "c10::Device::str() const")
#define NOTHING(id, name)      \
  void id() MODEL("! " name);  \
  void id() {}
NOTHING(warn, "c10::warn(*")
NOTHING(warning, "c10::Warning::Warning(*")
NOTHING(warning_end, "c10::Warning::~Warning()")
NOTHING(deprecated, "c10::detail::deprecated_AT_*")
NOTHING(record, "at::RecordFunction::*")
NOTHING(log_usage, "c10::LogAPIUsage*")

// Counts of references are not kept: what has been given away stays.
NOTHING(retain, "c10::intrusive_ptr<*>::retain_()")
NOTHING(release, "c10::intrusive_ptr<*>::reset_()")
NOTHING(release_more, "c10::intrusive_ptr<*>::reset_not_null_(*")
NOTHING(scalar_end, "c10::Scalar::~Scalar()")
NOTHING(scalar_destroy, "c10::Scalar::destroy()")

// ---- devices and streams ----

// One device is like another here, and a stream like the default one, whose handle is 0 (c10/cuda/CUDAStream.h).
NOTHING(guard, "c10::cuda::CUDAGuard::CUDAGuard(*")
NOTHING(guard_end, "c10::cuda::CUDAGuard::~CUDAGuard()")
NOTHING(optional_guard, "c10::cuda::OptionalCUDAGuard::OptionalCUDAGuard(*")
NOTHING(optional_guard_end, "c10::cuda::OptionalCUDAGuard::~OptionalCUDAGuard()")
NOTHING(set_guard, "c10::cuda::*Guard::set_device(*")
NOTHING(stream_guard, "c10::cuda::CUDAStreamGuard::CUDAStreamGuard(*")
NOTHING(stream_guard_end, "c10::cuda::CUDAStreamGuard::~CUDAStreamGuard()")
NOTHING(device_guard, "c10::DeviceGuard::DeviceGuard(*")
NOTHING(device_guard_end, "c10::DeviceGuard::~DeviceGuard()")
NOTHING(optional_device_guard, "c10::OptionalDeviceGuard::OptionalDeviceGuard(*")
NOTHING(optional_device_guard_end, "c10::OptionalDeviceGuard::~OptionalDeviceGuard()")
int maybe_set_device(int8_t device) MODEL("c10::cuda::MaybeSetDevice(signed char)");
int maybe_set_device(int8_t) { return 0; }
int set_device(int8_t device, bool) MODEL("c10::cuda::SetDevice(signed char, bool)");
int set_device(int8_t, bool) { return 0; }
int set_device_alone(int8_t device) MODEL("c10::cuda::SetDevice(signed char)");
int set_device_alone(int8_t) { return 0; }
struct Stream { long id; int8_t index, type; };
Stream current_stream(int8_t device) MODEL("c10::cuda::getCurrentCUDAStream(signed char)");
Stream current_stream(int8_t) { return {0, 0, 1}; }
Stream default_stream(int8_t device) MODEL("c10::cuda::getDefaultCUDAStream(signed char)");
Stream default_stream(int8_t) { return {0, 0, 1}; }
void *stream_handle(const void *self) MODEL("c10::cuda::CUDAStream::operator CUstream_st*() const");
void *stream_handle(const void *) { return nullptr; }
void *stream_of(const void *self) MODEL("c10::cuda::CUDAStream::stream() const");
void *stream_of(const void *) { return nullptr; }

// ---- handles ----

void handle_copy(Handle *self, const Handle *o) MODEL("at::Tensor::Tensor(at::Tensor const&)");
void handle_copy(Handle *self, const Handle *o) { self->impl = o->impl; }
void handle_move(Handle *self, Handle *o) MODEL("at::Tensor::Tensor(at::Tensor&&)");
void handle_move(Handle *self, Handle *o) { self->impl = o->impl; }
void base_copy(Handle *self, const Handle *o) MODEL("at::TensorBase::TensorBase(at::TensorBase const&)");
void base_copy(Handle *self, const Handle *o) { self->impl = o->impl; }
void base_move(Handle *self, Handle *o) MODEL("at::TensorBase::TensorBase(at::TensorBase&&)");
void base_move(Handle *self, Handle *o) { self->impl = o->impl; }
void handle_of_base(Handle *self, const Handle *o) MODEL("at::Tensor::Tensor(at::TensorBase const&)");
void handle_of_base(Handle *self, const Handle *o) { self->impl = o->impl; }
void handle_of_moved_base(Handle *self, Handle *o) MODEL("at::Tensor::Tensor(at::TensorBase&&)");
void handle_of_moved_base(Handle *self, Handle *o) { self->impl = o->impl; }
void handle_none(Handle *self) MODEL("at::Tensor::Tensor()");
void handle_none(Handle *self) { self->impl = nullptr; }
void base_none(Handle *self) MODEL("at::TensorBase::TensorBase()");
void base_none(Handle *self) { self->impl = nullptr; }
void handle_end(Handle *) MODEL("at::Tensor::~Tensor()");
void handle_end(Handle *) {}
void base_end(Handle *) MODEL("at::TensorBase::~TensorBase()");
void base_end(Handle *) {}
Handle *assign_copy(Handle *self, const Handle *o) MODEL("at::Tensor::operator=(at::Tensor const&) &");
Handle *assign_copy(Handle *self, const Handle *o) { self->impl = o->impl; return self; }
Handle *assign_move(Handle *self, Handle *o) MODEL("at::Tensor::operator=(at::Tensor&&) &");
Handle *assign_move(Handle *self, Handle *o) { self->impl = o->impl; return self; }
Handle *assign_base(Handle *self, const Handle *o) MODEL("at::TensorBase::operator=(at::TensorBase const&) &");
Handle *assign_base(Handle *self, const Handle *o) { self->impl = o->impl; return self; }
Handle *assign_moved_base(Handle *self, Handle *o) MODEL("at::TensorBase::operator=(at::TensorBase&&) &");
Handle *assign_moved_base(Handle *self, Handle *o) { self->impl = o->impl; return self; }
void reset(Handle *self) MODEL("at::TensorBase::reset()");
void reset(Handle *self) { self->impl = nullptr; }
bool defined(const Handle *self) MODEL("at::TensorBase::defined() const");
bool defined(const Handle *self) { return self->impl != nullptr; }
bool is_same(const Handle *self, const Handle *o) MODEL("at::TensorBase::is_same(at::TensorBase const&) const");
bool is_same(const Handle *self, const Handle *o) { return self->impl == o->impl; }

// ---- geometry ----

static Impl *there(const Handle *self) {
  if (!self->impl) fail();
  return self->impl;
}

int64_t dim(const Handle *self) MODEL("at::TensorBase::dim() const");
int64_t dim(const Handle *self) { return there(self)->dim; }
int64_t ndimension(const Handle *self) MODEL("at::TensorBase::ndimension() const");
int64_t ndimension(const Handle *self) { return there(self)->dim; }
int64_t numel(const Handle *self) MODEL("at::TensorBase::numel() const");
int64_t numel(const Handle *self) { relate(there(self)); return elements(self->impl); }
int64_t size(const Handle *self, int64_t d) MODEL("at::TensorBase::size(long) const");
int64_t size(const Handle *self, int64_t d) { return size_at(there(self), d); }
int64_t stride(const Handle *self, int64_t d) MODEL("at::TensorBase::stride(long) const");
int64_t stride(const Handle *self, int64_t d) { const Impl *t = there(self); strides_of(t); return t->strides[wrapped(t, d)]; }
struct Array { const int64_t *p; size_t n; };
Array sizes(const Handle *self) MODEL("at::TensorBase::sizes() const");
Array sizes(const Handle *self) { const Impl *t = there(self); return {t->sizes, static_cast<size_t>(t->dim)}; }
Array strides(const Handle *self) MODEL("at::TensorBase::strides() const");
Array strides(const Handle *self) { const Impl *t = there(self); strides_of(t); return {t->strides, static_cast<size_t>(t->dim)}; }
size_t nbytes(const Handle *self) MODEL("at::TensorBase::nbytes() const");
size_t nbytes(const Handle *self) { const Impl *t = there(self); return times(elements(t), item_size(t->dtype)); }
size_t itemsize(const Handle *self) MODEL("at::TensorBase::itemsize() const");
size_t itemsize(const Handle *self) { return item_size(there(self)->dtype); }
int64_t element_size(const Handle *self) MODEL("at::TensorBase::element_size() const");
int64_t element_size(const Handle *self) { return item_size(there(self)->dtype); }
bool is_contiguous(const Handle *self, int8_t format) MODEL("at::TensorBase::is_contiguous(c10::MemoryFormat) const");
bool is_contiguous(const Handle *self, int8_t format) {
  if (format != 0) return __scuba_any(0, 1);
  return there(self)->contiguous;
}

// ---- type and device ----

int8_t scalar_type(const Handle *self) MODEL("at::TensorBase::scalar_type() const");
int8_t scalar_type(const Handle *self) { return there(self)->dtype; }
struct Meta { unsigned short index; };
Meta dtype(const Handle *self) MODEL("at::TensorBase::dtype() const");
Meta dtype(const Handle *self) { return {static_cast<unsigned short>(there(self)->dtype)}; }
struct Device { int8_t type, index; };
Device device(const Handle *self) MODEL("at::TensorBase::device() const");
Device device(const Handle *self) { return {there(self)->device, 0}; }
int8_t get_device(const Handle *self) MODEL("at::TensorBase::get_device() const");
int8_t get_device(const Handle *self) { return there(self)->device == 1 ? 0 : -1; }
bool is_cuda(const Handle *self) MODEL("at::TensorBase::is_cuda() const");
bool is_cuda(const Handle *self) { return there(self)->device == 1; }
bool is_cpu(const Handle *self) MODEL("at::TensorBase::is_cpu() const");
bool is_cpu(const Handle *self) { return there(self)->device == 0; }
bool is_sparse(const Handle *self) MODEL("at::TensorBase::is_sparse() const");
bool is_sparse(const Handle *) { return false; }
Options options(const Handle *self) MODEL("at::TensorBase::options() const");
Options options(const Handle *self) {
  const Impl *t = there(self);
  return {t->device, 0, static_cast<unsigned short>(t->dtype), 0, 0, 4 | 8 | 16, 0};
}

// ---- data ----

static void *data_of(const Impl *t) {
  lay_out(t);
  return t->data;
}

void *data_ptr(const Handle *self) MODEL("at::TensorBase::data_ptr() const");
void *data_ptr(const Handle *self) { return data_of(there(self)); }
void *mutable_data_ptr(const Handle *self) MODEL("at::TensorBase::mutable_data_ptr() const");
void *mutable_data_ptr(const Handle *self) { return data_of(there(self)); }
const void *const_data_ptr(const Handle *self) MODEL("at::TensorBase::const_data_ptr() const");
const void *const_data_ptr(const Handle *self) { return data_of(there(self)); }

// One of another type throws.
static void *typed(const Handle *self, int8_t type) {
  const Impl *t = there(self);
  if (t->dtype != type) fail();
  return data_of(t);
}

#define TYPED(type, name, id)                                                                      \
  void *data_##id(const Handle *self) MODEL("at::TensorBase::data_ptr<" name ">() const");         \
  void *data_##id(const Handle *self) { return typed(self, type); }                                \
  void *data_const_##id(const Handle *self) MODEL("at::TensorBase::data_ptr<" name " const>() const"); \
  void *data_const_##id(const Handle *self) { return typed(self, type); }                          \
  void *old_data_##id(const Handle *self) MODEL("at::Tensor::data<" name ">() const");             \
  void *old_data_##id(const Handle *self) { return typed(self, type); }                            \
  void *mutable_##id(const Handle *self) MODEL("at::TensorBase::mutable_data_ptr<" name ">() const"); \
  void *mutable_##id(const Handle *self) { return typed(self, type); }                             \
  const void *const_##id(const Handle *self) MODEL("at::TensorBase::const_data_ptr<" name ">() const"); \
  const void *const_##id(const Handle *self) { return typed(self, type); }                         \
  const void *const_std_##id(const Handle *self) MODEL("at::TensorBase::const_data_ptr<" name ", *>() const"); \
  const void *const_std_##id(const Handle *self) { return typed(self, type); }                     \
  const void *const_const_##id(const Handle *self) MODEL("at::TensorBase::const_data_ptr<" name " const, *>() const"); \
  const void *const_const_##id(const Handle *self) { return typed(self, type); }

TYPED(Byte, "unsigned char", u8)
TYPED(Char, "signed char", i8)
TYPED(Short, "short", i16)
TYPED(Int, "int", i32)
TYPED(Long, "long", i64)
TYPED(Half, "c10::Half", f16)
TYPED(Float, "float", f32)
TYPED(Double, "double", f64)
TYPED(Bool, "bool", b)
TYPED(BFloat16, "c10::BFloat16", bf16)
TYPED(ComplexFloat, "c10::complex<float>", c64)
TYPED(ComplexDouble, "c10::complex<double>", c128)

// ---- sizes and strides for kernels (ATen/cuda/detail/IndexUtils.cuh; MAX_TENSORINFO_DIMS of TensorInfo.cuh is 25) ----

#define DIMENSION_OF(i) info->sizes[i] = t->sizes[i]; info->strides[i] = t->strides[i];
#define INFO(id, type, name, Index, index)                                                                        \
  struct Info_##id { void *data; Index sizes[25], strides[25]; int dims; };                                       \
  void info_##id(Info_##id *info, const Handle *self) MODEL("at::cuda::detail::getTensorInfo<" name ", " index ">(at::TensorBase const&)"); \
  void info_##id(Info_##id *info, const Handle *self) {                                                           \
    const Impl *t = there(self);                                                                                  \
    if (t->dim >= 25) fail();                                                                                     \
    info->data = typed(self, type);                                                                               \
    info->dims = static_cast<int>(t->dim);                                                                        \
    EIGHT(DIMENSION_OF)                                                                                           \
  }
#define INFOS(id, type, name) INFO(id##_int, type, name, int, "int") INFO(id##_long, type, name, int64_t, "long")
INFOS(i32, Int, "int")
INFOS(i64, Long, "long")
INFOS(f16, Half, "c10::Half")
INFOS(f32, Float, "float")
INFOS(f64, Double, "double")
INFOS(bf16, BFloat16, "c10::BFloat16")

// ---- tensors that the library makes ----

#define EMPTY(id, name)                                                                                       \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o, short format) MODEL(name);                 \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o, short) { out->impl = of_sizes(sizes, dim, dtype_of(o), device_of(o)); }
EMPTY(at_empty, "at::empty(c10::ArrayRef<long>, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
EMPTY(torch_empty, "torch::empty(c10::ArrayRef<long>, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
#define FILLED(id, name)                                                                         \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o) MODEL(name);          \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o) { out->impl = of_sizes(sizes, dim, dtype_of(o), device_of(o)); }
FILLED(at_zeros, "at::zeros(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(torch_zeros, "torch::zeros(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(at_ones, "at::ones(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(torch_ones, "torch::ones(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(at_rand, "at::rand(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(torch_rand, "torch::rand(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(at_randn, "at::randn(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(torch_randn, "torch::randn(c10::ArrayRef<long>, c10::TensorOptions)")
#define FULL(id, name)                                                                    \
  void id(Handle *out, const int64_t *sizes, size_t dim, const void *value, Options o) MODEL(name); \
  void id(Handle *out, const int64_t *sizes, size_t dim, const void *, Options o) { out->impl = of_sizes(sizes, dim, dtype_of(o), device_of(o)); }
FULL(at_full, "at::full(c10::ArrayRef<long>, c10::Scalar const&, c10::TensorOptions)")
FULL(torch_full, "torch::full(c10::ArrayRef<long>, c10::Scalar const&, c10::TensorOptions)")
#define LIKE(id, name)                                                                           \
  void id(Handle *out, const Handle *of, Options o, short format) MODEL(name);            \
  void id(Handle *out, const Handle *of, Options o, short) { const Impl *t = there(of); out->impl = like(t, dtype_or(o, t), device_or(o, t)); }
LIKE(at_empty_like, "at::empty_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(torch_empty_like, "torch::empty_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(at_zeros_like, "at::zeros_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(torch_zeros_like, "torch::zeros_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(at_ones_like, "at::ones_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(torch_ones_like, "torch::ones_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")

#define NEW(id, name)                                                                           \
  void id(Handle *out, const Handle *of, const int64_t *sizes, size_t dim, Options o) MODEL(name); \
  void id(Handle *out, const Handle *of, const int64_t *sizes, size_t dim, Options o) { const Impl *t = there(of); out->impl = of_sizes(sizes, dim, dtype_or(o, t), device_or(o, t)); }
NEW(new_empty, "at::Tensor::new_empty(c10::ArrayRef<long>, c10::TensorOptions) const")
NEW(new_zeros, "at::Tensor::new_zeros(c10::ArrayRef<long>, c10::TensorOptions) const")
NEW(new_ones, "at::Tensor::new_ones(c10::ArrayRef<long>, c10::TensorOptions) const")
#define FULL_LIKE(id, name)                                                               \
  void id(Handle *out, const Handle *of, const void *value, Options o, short format) MODEL(name); \
  void id(Handle *out, const Handle *of, const void *, Options o, short) { const Impl *t = there(of); out->impl = like(t, dtype_or(o, t), device_or(o, t)); }
FULL_LIKE(at_full_like, "at::full_like(at::Tensor const&, c10::Scalar const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
FULL_LIKE(torch_full_like, "torch::full_like(at::Tensor const&, c10::Scalar const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")

// ---- tensors made of others ----

void contiguous(Handle *out, const Handle *self, int8_t format) MODEL("at::Tensor::contiguous(c10::MemoryFormat) const");
void contiguous(Handle *out, const Handle *self, int8_t format) {
  const Impl *t = there(self);
  if (__scuba_known(t->contiguous) == 1) out->impl = self->impl;
  else if (__scuba_known(t->contiguous) == 0) out->impl = like(t, t->dtype, t->device, false, t);
  else out->impl = contiguous_of(t);
}
void clone(Handle *out, const Handle *self, short format) MODEL("at::Tensor::clone(std::optional<c10::MemoryFormat>) const");
void clone(Handle *out, const Handle *self, short) { const Impl *t = there(self); out->impl = like(t, t->dtype, t->device, true, t); }
void detach(Handle *out, const Handle *self) MODEL("at::Tensor::detach() const");
void detach(Handle *out, const Handle *self) { out->impl = there(self); }
void to_cpu(Handle *out, const Handle *self) MODEL("at::Tensor::cpu() const");
void to_cpu(Handle *out, const Handle *self) { const Impl *t = there(self); out->impl = like(t, t->dtype, 0, true, t); }
void to_cuda(Handle *out, const Handle *self) MODEL("at::Tensor::cuda() const");
void to_cuda(Handle *out, const Handle *self) { const Impl *t = there(self); out->impl = like(t, t->dtype, 1, true, t); }
void to_type(Handle *out, const Handle *self, int8_t type, bool, bool, short) MODEL("at::Tensor::to(c10::ScalarType, bool, bool, std::optional<c10::MemoryFormat>) const");
void to_type(Handle *out, const Handle *self, int8_t type, bool, bool, short) { const Impl *t = there(self); out->impl = like(t, type, t->device); }

// ---- ranges ----

// A c10::Scalar that holds a whole number, or a real one (c10/core/Scalar.h: tag HAS_d 0, HAS_i 1, HAS_u 2, HAS_z 3, HAS_b 4).
struct Scalar { int tag; int unused[3]; union { double d; int64_t i; } v; int64_t rest; };

static void range(Handle *out, int64_t from, int64_t to, int64_t step, Options o) {
  if (step == 0 || (step > 0 && to < from)) fail();
  int64_t n = step == 1 ? to - from : (to - from + step - 1) / step;
  out->impl = of_sizes(&n, 1, (o.has & 8) ? static_cast<int8_t>(o.dtype) : static_cast<int8_t>(Long), device_of(o));
}
#define RANGE(id, ns)                                                                                                  \
  void id(Handle *out, const Scalar *from, const Scalar *to, const Scalar *step, Options o)                            \
      MODEL(ns "::arange(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, c10::TensorOptions)");            \
  void id(Handle *out, const Scalar *from, const Scalar *to, const Scalar *step, Options o) {                          \
    if (from->tag == 1 && to->tag == 1 && step->tag == 1) range(out, from->v.i, to->v.i, step->v.i, o);                \
    else { int64_t n = __scuba_any(0, 1L << 47); out->impl = of_sizes(&n, 1, dtype_of(o), device_of(o)); }             \
  }                                                                                                                    \
  void id##_from(Handle *out, const Scalar *from, const Scalar *to, Options o)                                         \
      MODEL(ns "::arange(c10::Scalar const&, c10::Scalar const&, c10::TensorOptions)");                                \
  void id##_from(Handle *out, const Scalar *from, const Scalar *to, Options o) {                                       \
    if (from->tag == 1 && to->tag == 1) range(out, from->v.i, to->v.i, 1, o);                                          \
    else { int64_t n = __scuba_any(0, 1L << 47); out->impl = of_sizes(&n, 1, dtype_of(o), device_of(o)); }             \
  }                                                                                                                    \
  void id##_to(Handle *out, const Scalar *to, Options o) MODEL(ns "::arange(c10::Scalar const&, c10::TensorOptions)"); \
  void id##_to(Handle *out, const Scalar *to, Options o) {                                                             \
    if (to->tag == 1) range(out, 0, to->v.i, 1, o);                                                                    \
    else { int64_t n = __scuba_any(0, 1L << 47); out->impl = of_sizes(&n, 1, dtype_of(o), device_of(o)); }             \
  }
RANGE(at_arange, "at")
RANGE(torch_arange, "torch")

// ---- operations that are not modelled ----

#define RESHAPES(id, name)                                                                  \
  Handle *id(Handle *self) MODEL("! at::_ops::" name "*::call(*");                           \
  Handle *id(Handle *self) { anything(there(self)); return self; }
RESHAPES(resize, "resize_") RESHAPES(set, "set_") RESHAPES(squeeze, "squeeze_") RESHAPES(unsqueeze, "unsqueeze_")
RESHAPES(transpose, "transpose_") RESHAPES(transposed, "t_") RESHAPES(swap_axes, "swapaxes_") RESHAPES(swap_dims, "swapdims_")
RESHAPES(as_strided, "as_strided_")
// In place, the contents alone: what they are then is not followed.
static Handle *rewritten(Handle *self) { __scuba_written(there(self)->data); return self; }
Handle *in_place(Handle *self) MODEL("! at::_ops::*_::call(at::Tensor&*");
Handle *in_place(Handle *self) { return rewritten(self); }
Handle *in_place_overload(Handle *self) MODEL("! at::_ops::*__*::call(at::Tensor&*");
Handle *in_place_overload(Handle *self) { return rewritten(self); }
// Element by element: a tensor of the same shape, whose type is the same where that is one of real numbers (torch.result_type).
static bool is_real(int8_t dtype) { return dtype == Half || dtype == Float || dtype == Double || dtype == BFloat16; }
#define EACH_ELEMENT(id, name)                                                              \
  void id(Handle *out, const Handle *self) MODEL("! [8] at::_ops::" name "::call(at::Tensor const&*"); \
  void id(Handle *out, const Handle *self) {                                                \
    const Impl *t = there(self);                                                            \
    out->impl = like(t, is_real(t->dtype) ? t->dtype : __scuba_any(0, 44), t->device);      \
  }
EACH_ELEMENT(each_abs, "abs") EACH_ELEMENT(each_neg, "neg") EACH_ELEMENT(each_sign, "sign") EACH_ELEMENT(each_square, "square")
EACH_ELEMENT(each_exp, "exp") EACH_ELEMENT(each_log, "log") EACH_ELEMENT(each_log2, "log2") EACH_ELEMENT(each_sqrt, "sqrt")
EACH_ELEMENT(each_rsqrt, "rsqrt") EACH_ELEMENT(each_reciprocal, "reciprocal") EACH_ELEMENT(each_sin, "sin") EACH_ELEMENT(each_cos, "cos")
EACH_ELEMENT(each_tanh, "tanh") EACH_ELEMENT(each_sigmoid, "sigmoid") EACH_ELEMENT(each_relu, "relu") EACH_ELEMENT(each_silu, "silu")
EACH_ELEMENT(each_gelu, "gelu") EACH_ELEMENT(each_floor, "floor") EACH_ELEMENT(each_ceil, "ceil") EACH_ELEMENT(each_round, "round")
EACH_ELEMENT(each_trunc, "trunc") EACH_ELEMENT(each_bernoulli, "bernoulli") EACH_ELEMENT(each_clamp, "clamp")
EACH_ELEMENT(each_clamp_min, "clamp_min") EACH_ELEMENT(each_clamp_max, "clamp_max") EACH_ELEMENT(each_add, "add_Scalar")
EACH_ELEMENT(each_sub, "sub_Scalar") EACH_ELEMENT(each_mul, "mul_Scalar") EACH_ELEMENT(each_div, "div_Scalar")
EACH_ELEMENT(each_pow, "pow_Tensor_Scalar")
#define COMPARED(id, name)                                                                  \
  void id(Handle *out, const Handle *self) MODEL("! [8] at::_ops::" name "_Scalar::call(at::Tensor const&*"); \
  void id(Handle *out, const Handle *self) { const Impl *t = there(self); out->impl = like(t, Bool, t->device); }
COMPARED(less, "lt") COMPARED(at_most, "le") COMPARED(greater, "gt") COMPARED(at_least, "ge") COMPARED(equal_to, "eq") COMPARED(other_than, "ne")

// `to` and `toType`: another type, where one is given.
void to_options(Handle *out, const Handle *self, short type) MODEL("! [8] at::_ops::to_dtype_layout::call(at::Tensor const&*");
void to_options(Handle *out, const Handle *self, short type) {
  const Impl *t = there(self);
  out->impl = like(t, (type >> 8) & 1 ? static_cast<int8_t>(type) : t->dtype, __scuba_any(0, 20));
}
// Two tensors element by element: dimensions from the last on, of which one may be 1 (torch's broadcasting semantics).
#define ALIGN(i)                                                        \
  if (dim > i) {                                                        \
    int64_t x = i < dim - n ? 1 : a->sizes[i - (dim - n)];              \
    int64_t y = i < dim - m ? 1 : b->sizes[i - (dim - m)];              \
    if (x != y && x != 1 && y != 1) fail();                             \
    t->sizes[i] = x == 1 ? y : x;                                       \
  }
static Impl *broadcast(const Impl *a, const Impl *b, int8_t dtype) {
  int64_t n = __scuba_known(a->dim), m = __scuba_known(b->dim);
  if (n < 0 || m < 0 || n > 8 || m > 8) return any_tensor();
  int64_t dim = n < m ? m : n;
  bool packed = n == m && __scuba_known(a->contiguous) == 1 && __scuba_known(b->contiguous) == 1;
  Impl *t = fresh(dtype, n > 0 ? a->device : b->device);
  EIGHT(ALIGN)
  finish(t, dim);
  if (!packed) {
    EIGHT(ANY_STRIDE)
    t->contiguous = __scuba_any(0, 1);
  }
  return t;
}
#define OF_TWO(id, name)                                                                                        \
  void id(Handle *out, const Handle *self, const Handle *other) MODEL("! [8] at::_ops::" name "_Tensor::call(at::Tensor const&, at::Tensor const&*"); \
  void id(Handle *out, const Handle *self, const Handle *other) {                                               \
    const Impl *a = there(self), *b = there(other);                                                             \
    out->impl = broadcast(a, b, a->dtype == b->dtype && is_real(a->dtype) ? a->dtype : __scuba_any(0, 44));      \
  }
OF_TWO(add_two, "add") OF_TWO(sub_two, "sub") OF_TWO(mul_two, "mul") OF_TWO(div_two, "div")

// Along one dimension, of which each element is of those before it (torch.cumsum).
#define ALONG(id, name)                                                                                       \
  void id(Handle *out, const Handle *self, int64_t d, short type) MODEL("! [8] at::_ops::" name "::call(at::Tensor const&*"); \
  void id(Handle *out, const Handle *self, int64_t d, short type) {                                           \
    const Impl *t = there(self);                                                                              \
    int8_t given = (type >> 8) & 1 ? static_cast<int8_t>(type) : is_real(t->dtype) ? t->dtype : __scuba_any(0, 44); \
    out->impl = like(t, given, t->device);                                                                    \
  }
ALONG(cumulated_sum, "cumsum") ALONG(cumulated_product, "cumprod")

// Tensors one after another along a dimension (torch.cat): the sizes of the others are the same. c10::IListRef (ATen/core/IListRef.h), whose tag is 0
// where it is an array of tensors.
struct ListRef { const Handle *first; size_t count; int tag; };
#define JOIN_SIZE(k)                                                     \
  if (dim > k) {                                                         \
    if (k == at) t->sizes[k] = t->sizes[k] + o->sizes[k];                \
    else if (t->sizes[k] != o->sizes[k]) fail();                         \
  }
static bool join(Impl *t, const Impl *o, int64_t dim, int64_t at) {
  if (__scuba_known(o->dim) != dim) return false;
  if (t->dtype != o->dtype) t->dtype = __scuba_any(0, 44);
  EIGHT(JOIN_SIZE)
  return true;
}
#define JOIN(i) if (count > i && i > 0 && !join(t, there(list->first + i), dim, at)) return any_tensor();
static Impl *joined(const ListRef *list, int64_t d) {
  int64_t count = __scuba_known(list->count);
  if (list->tag != 0 || count < 1 || count > 8) return any_tensor();
  const Impl *o = there(list->first);
  int64_t dim = __scuba_known(o->dim), at = __scuba_known(d < 0 ? d + dim : d);
  if (dim < 1 || dim > 8 || at < 0 || at >= dim) return any_tensor();
  Impl *t = fresh(o->dtype, o->device);
  EIGHT(COPY_SIZE)
  EIGHT(JOIN)
  finish(t, dim);
  return t;
}
void cat(Handle *out, const ListRef *list, int64_t d) MODEL("! [8] at::_ops::cat::call(*");
void cat(Handle *out, const ListRef *list, int64_t d) { out->impl = joined(list, d); }

void operation(Handle *out) MODEL("! [8] at::_ops::*::call(*");
void operation(Handle *out) { out->impl = any_tensor(); }
void two_operations(Handle *out) MODEL("! [16] at::_ops::*::call(*");
void two_operations(Handle *out) { out[0].impl = any_tensor(); out[1].impl = any_tensor(); }

// ---- views ----

// Another tensor on the same storage; its sizes and strides are filled in by the caller.
static Impl *view_of(const Impl *o) {
  lay_out(o);
  Impl *t = static_cast<Impl *>(operator new(sizeof(Impl)));
  t->data = o->data;
  t->dtype = o->dtype;
  t->device = o->device;
  t->made = true;
  t->packed = false;
  t->contiguous = __scuba_any(0, 1);
  t->dim = o->dim;
  t->numel = elements(o);
  t->lead = __scuba_any(0, 1L << 47);
  return t;
}
// The same where the shape is not followed.
static Impl *some_view_of(const Impl *o) {
  Impl *t = view_of(o);
  void *data = t->data;
  int8_t dtype = t->dtype, device = t->device;
  anything(t);
  t->data = data;
  t->dtype = dtype;
  t->device = device;
  return t;
}
// The same of a part that begins somewhere in it.
static Impl *some_part_of(const Impl *o) {
  Impl *t = some_view_of(o);
  t->data = static_cast<char *>(t->data) + __scuba_any(0, 1L << 47);
  return t;
}
#define KEEP(i) t->sizes[i] = o->sizes[i]; t->strides[i] = o->strides[i];
#define FROM(to, of) t->sizes[to] = o->sizes[of]; t->strides[to] = o->strides[of];
// The strides of a contiguous tensor of these sizes.
static void pack(Impl *t, int64_t dim) {
  int64_t n = 1;
  t->dim = dim;
  DIMENSION(7) DIMENSION(6) DIMENSION(5) DIMENSION(4) DIMENSION(3) DIMENSION(2) DIMENSION(1) DIMENSION(0)
  t->contiguous = true;
}

static Impl *swapped(const Impl *o, int64_t a, int64_t b) {
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) return some_view_of(o);
  a = wrapped(o, a);
  b = wrapped(o, b);
  Impl *t = view_of(o);
  EIGHT(KEEP)
  FROM(a, b)
  FROM(b, a)
  return t;
}
void transpose_(Handle *out, const Handle *self, int64_t a, int64_t b) MODEL("at::Tensor::transpose(long, long) const");
void transpose_(Handle *out, const Handle *self, int64_t a, int64_t b) { out->impl = swapped(there(self), a, b); }
void transposed_matrix(Handle *out, const Handle *self) MODEL("at::Tensor::t() const");
void transposed_matrix(Handle *out, const Handle *self) {
  const Impl *o = there(self);
  if (__scuba_known(o->dim) == 2) out->impl = swapped(o, 0, 1);
  else out->impl = some_view_of(o);
}

// Without dimension d.
static Impl *without(const Impl *o, int64_t d, int64_t dim) {
  Impl *t = view_of(o);
  t->dim = dim - 1;
#define SKIP(i) if (i < dim - 1) { if (i < d) { FROM(i, i) } else { FROM(i, i + 1) } }
  SKIP(0) SKIP(1) SKIP(2) SKIP(3) SKIP(4) SKIP(5) SKIP(6)
  return t;
}
static Impl *selected(const Impl *o, int64_t d, int64_t index) {
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) return some_part_of(o);
  d = wrapped(o, d);
  if (index < -o->sizes[d] || index >= o->sizes[d]) fail();
  if (index < 0) index += o->sizes[d];
  Impl *t = without(o, d, dim);
  t->numel = product(t, dim - 1);
  t->data = static_cast<char *>(t->data) + times(times(index, o->strides[d]), item_size(o->dtype));
  if (d == 0) t->contiguous = o->contiguous;
  return t;
}
void select(Handle *out, const Handle *self, int64_t d, int64_t index) MODEL("at::Tensor::select(long, long) const");
void select(Handle *out, const Handle *self, int64_t d, int64_t index) { out->impl = selected(there(self), d, index); }
void indexed(Handle *out, const Handle *self, int64_t index) MODEL("at::Tensor::operator[](long) const");
void indexed(Handle *out, const Handle *self, int64_t index) { out->impl = selected(there(self), 0, index); }

static Impl *narrowed(const Impl *o, int64_t d, int64_t start, int64_t length) {
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) return some_part_of(o);
  d = wrapped(o, d);
  int64_t size = o->sizes[d];
  if (length < 0 || start < -size || start > size) fail();
  if (start < 0) start += size;
  if (start > size - length) fail();
  Impl *t = view_of(o);
  EIGHT(KEEP)
  t->sizes[d] = length;
  t->numel = product(t, dim);
  t->data = static_cast<char *>(t->data) + times(times(start, o->strides[d]), item_size(o->dtype));
  if (d == 0) t->contiguous = o->contiguous;
  return t;
}
void narrow(Handle *out, const Handle *self, int64_t d, int64_t start, int64_t length) MODEL("at::Tensor::narrow(long, long, long) const");
void narrow(Handle *out, const Handle *self, int64_t d, int64_t start, int64_t length) { out->impl = narrowed(there(self), d, start, length); }
struct OptionalLong { int64_t value; bool has; };
void slice(Handle *out, const Handle *self, int64_t d, OptionalLong from, OptionalLong to, int64_t step)
    MODEL("at::Tensor::slice(long, std::optional<long>, std::optional<long>, long) const");
void slice(Handle *out, const Handle *self, int64_t d, OptionalLong from, OptionalLong to, int64_t step) {
  const Impl *o = there(self);
  if (__scuba_known(o->dim) < 0 || step != 1) { out->impl = some_part_of(o); return; }
  int64_t size = o->sizes[wrapped(o, d)];
  int64_t a = from.has ? from.value : 0, b = to.has ? to.value : size;
  if (a < 0) a += size;
  if (b < 0) b += size;
  if (a < 0) a = 0; else if (a > size) a = size;
  if (b < a) b = a; else if (b > size) b = size;
  out->impl = narrowed(o, d, a, b - a);
}

void unsqueeze_view(Handle *out, const Handle *self, int64_t d) MODEL("at::Tensor::unsqueeze(long) const");
void unsqueeze_view(Handle *out, const Handle *self, int64_t d) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 6) { out->impl = some_view_of(o); return; }
  if (d < 0) d += dim + 1;
  if (d < 0 || d > dim) fail();
  Impl *t = view_of(o);
  t->dim = dim + 1;
#define PUT(i) if (i < d) { FROM(i, i) } else if (i > d && i <= dim) { FROM(i, i - 1) }
  PUT(0) PUT(1) PUT(2) PUT(3) PUT(4) PUT(5) PUT(6)
  t->sizes[d] = 1;
  t->strides[d] = d < dim ? times(o->sizes[d], o->strides[d]) : 1;
  t->contiguous = o->contiguous;
  out->impl = t;
}
void squeeze_view(Handle *out, const Handle *self) MODEL("at::Tensor::squeeze() const");
void squeeze_view(Handle *out, const Handle *self) { Impl *t = some_view_of(there(self)); t->numel = elements(self->impl); t->contiguous = self->impl->contiguous; out->impl = t; }
void squeeze_one(Handle *out, const Handle *self, int64_t d) MODEL("at::Tensor::squeeze(long) const");
void squeeze_one(Handle *out, const Handle *self, int64_t d) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (dim < 1 || dim > 8) { out->impl = some_view_of(o); return; }
  d = wrapped(o, d);
  if (o->sizes[d] != 1) { out->impl = const_cast<Impl *>(o); return; }
  Impl *t = without(o, d, dim);
  t->contiguous = o->contiguous;
  out->impl = t;
}

// Sizes of which one may be -1: what is left.
#define INFER(i) if (n > i) { if (sizes[i] == -1) { if (open >= 0) fail(); open = i; } else { if (sizes[i] < 0) fail(); rest = times(rest, sizes[i]); } }
#define TAKE(i) if (n > i && i != open) t->sizes[i] = sizes[i];
static Impl *shaped(const Impl *o, const int64_t *sizes, size_t n, bool copies) {
  if (__scuba_known(n) < 0 || n > 8) return some_view_of(o);
  int64_t open = -1, rest = 1;
  INFER(0) INFER(1) INFER(2) INFER(3) INFER(4) INFER(5) INFER(6) INFER(7)
  int64_t all = elements(o);
  Impl *t;
  bool packed = __scuba_known(o->contiguous) == 1;
  if (packed || !copies) t = view_of(o);
  else t = fresh(o->dtype, o->device);
  EIGHT(TAKE)
  if (open >= 0) {
    if (rest == 0) fail();
    t->sizes[open] = all / rest;
    __scuba_axiom(times(t->sizes[open], rest) == all);
  } else if (rest != all) {
    fail();
  }
  t->numel = all;
  if (packed || copies) pack(t, n);
  else {
    t->dim = n;
    EIGHT(ANY_STRIDE)
  }
  if (!packed && copies) t->data = __scuba_device_memory(times(all, item_size(t->dtype)), 2);
  return t;
}
void view(Handle *out, const Handle *self, const int64_t *sizes, size_t n) MODEL("at::Tensor::view(c10::ArrayRef<long>) const");
void view(Handle *out, const Handle *self, const int64_t *sizes, size_t n) { out->impl = shaped(there(self), sizes, n, false); }
void reshape(Handle *out, const Handle *self, const int64_t *sizes, size_t n) MODEL("at::Tensor::reshape(c10::ArrayRef<long>) const");
void reshape(Handle *out, const Handle *self, const int64_t *sizes, size_t n) { out->impl = shaped(there(self), sizes, n, true); }
void flatten(Handle *out, const Handle *self, int64_t from, int64_t to) MODEL("at::Tensor::flatten(long, long) const");
void flatten(Handle *out, const Handle *self, int64_t from, int64_t to) {
  int64_t one = -1;
  if (from == 0 && to == -1) out->impl = shaped(there(self), &one, 1, true);
  else out->impl = some_view_of(there(self));
}
void permute(Handle *out, const Handle *self, const int64_t *dims, size_t n) MODEL("at::Tensor::permute(c10::ArrayRef<long>) const");
void permute(Handle *out, const Handle *self, const int64_t *dims, size_t n) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) { out->impl = some_view_of(o); return; }
  if (static_cast<int64_t>(n) != dim) fail();
  Impl *t = view_of(o);
#define MOVE(i) if (dim > i) { int64_t of = wrapped(o, dims[i]); FROM(i, of) }
  EIGHT(MOVE)
  out->impl = t;
}
// More dimensions in front, and one element again and again where there was one.
void expand(Handle *out, const Handle *self, const int64_t *sizes, size_t n, bool) MODEL("at::Tensor::expand(c10::ArrayRef<long>, bool) const");
void expand(Handle *out, const Handle *self, const int64_t *sizes, size_t n, bool) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim), more = static_cast<int64_t>(n) - dim;
  if (dim < 0 || __scuba_known(n) < 0 || n > 8) { out->impl = some_view_of(o); return; }
  if (more < 0) fail();
  Impl *t = view_of(o);
  t->dim = n;
#define WIDEN(i)                                                                        \
  if (static_cast<int64_t>(n) > i) {                                                    \
    if (i < more) { t->sizes[i] = sizes[i]; t->strides[i] = 0; }                        \
    else if (sizes[i] == -1 || sizes[i] == o->sizes[i - more]) { FROM(i, i - more) }    \
    else if (o->sizes[i - more] == 1) { t->sizes[i] = sizes[i]; t->strides[i] = 0; }    \
    else fail();                                                                        \
  }
  EIGHT(WIDEN)
  t->numel = product(t, n);
  out->impl = t;
}

// ---- sizes that are compared ----

#define SAME(i) if (n > i && a[i] != b[i]) return false;
bool equal_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) MODEL("c10::operator==<long>(c10::ArrayRef<long>, c10::ArrayRef<long>)");
bool equal_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) {
  if (n != m) return false;
  if (__scuba_known(n) < 0 && __scuba_known(m) < 0) return __scuba_any(0, 1);
  if (__scuba_known(n) < 0) n = m;
  SAME(0) SAME(1) SAME(2) SAME(3) SAME(4) SAME(5) SAME(6) SAME(7)
  if (n > 8) return __scuba_any(0, 1);
  return true;
}
bool other_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) MODEL("c10::operator!=<long>(c10::ArrayRef<long>, c10::ArrayRef<long>)");
bool other_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) { return !equal_sizes(a, n, b, m); }

// ---- checks of several tensors (ATen/TensorUtils.h) ----

struct Arg { const Handle *tensor; const char *name; int pos; };
#define OF_ALL(i, what) if (n > i) { const Impl *t = there(all[i].tensor), *first = there(all[0].tensor); (void)first; what }
#define EIGHT_ARGS(what) OF_ALL(0, what) OF_ALL(1, what) OF_ALL(2, what) OF_ALL(3, what) OF_ALL(4, what) OF_ALL(5, what) OF_ALL(6, what) OF_ALL(7, what) \
  OF_ALL(8, what) OF_ALL(9, what) OF_ALL(10, what) OF_ALL(11, what)
#define CHECK_ALL(id, name, what)                                                                  \
  void id(const char *, const Arg *all, size_t n) MODEL("at::" name "(char const*, c10::ArrayRef<at::TensorArg>)"); \
  void id(const char *, const Arg *all, size_t n) { EIGHT_ARGS(what) }
#define CHECK_TWO(id, name, what)                                                                  \
  void id(const char *, const Arg *a, const Arg *b) MODEL("at::" name "(char const*, at::TensorArg const&, at::TensorArg const&)"); \
  void id(const char *, const Arg *a, const Arg *b) { const Impl *t = there(b->tensor), *first = there(a->tensor); what }
#define ON_GPU if (t->device != 1) fail();
#define OF_TYPE if (t->dtype != first->dtype) fail();
#define OF_NUMEL if (t != first) { relate(t); relate(first); if (elements(t) != elements(first)) fail(); }
#define OF_SIZES if (t != first && !equal_sizes(t->sizes, t->dim, first->sizes, first->dim)) fail();
CHECK_ALL(all_same_gpu, "checkAllSameGPU", ON_GPU)
CHECK_TWO(same_gpu, "checkSameGPU", if (first->device != 1) fail(); ON_GPU)
CHECK_ALL(all_same_type, "checkAllSameType", OF_TYPE)
CHECK_TWO(same_type, "checkSameType", OF_TYPE)
CHECK_ALL(all_same_numel, "checkAllSameNumel", OF_NUMEL)
CHECK_TWO(same_numel, "checkSameNumel", OF_NUMEL)
CHECK_ALL(all_same_size, "checkAllSameSize", OF_SIZES)
CHECK_TWO(same_size, "checkSameSize", OF_SIZES)
CHECK_ALL(all_contiguous, "checkAllContiguous", if (!t->contiguous) fail();)
CHECK_ALL(all_defined, "checkAllDefined", )
void of_scalar_type(const char *, const Arg *t, int8_t type) MODEL("at::checkScalarType(char const*, at::TensorArg const&, c10::ScalarType)");
void of_scalar_type(const char *, const Arg *t, int8_t type) { if (there(t->tensor)->dtype != type) fail(); }

// ---- settings of the process, properties of a device ----

void *global_context() MODEL("at::globalContext()");
void *global_context() { return operator new(1); }
NOTHING(not_deterministic, "at::Context::alertNotDeterministic(*")
bool deterministic(const void *) MODEL("at::Context::deterministicAlgorithms() const");
bool deterministic(const void *) { return __scuba_any(0, 1); }
extern "C" int cudaGetDeviceProperties(void *properties, int device);
void *current_properties() MODEL("at::cuda::getCurrentDeviceProperties()");
void *current_properties() {
  void *properties = operator new(8192);
  cudaGetDeviceProperties(properties, 0);
  return properties;
}
void *device_properties(int8_t device) MODEL("at::cuda::getDeviceProperties(signed char)");
void *device_properties(int8_t) { return current_properties(); }

// The same tensor without its history.
#define SAME_TENSOR(id, name)                            \
  void id(Handle *out, const Handle *self) MODEL(name);  \
  void id(Handle *out, const Handle *self) { out->impl = there(self); }
SAME_TENSOR(base_data, "at::TensorBase::data() const")
SAME_TENSOR(tensor_data, "at::Tensor::tensor_data() const")
SAME_TENSOR(base_tensor_data, "at::TensorBase::tensor_data() const")
SAME_TENSOR(base_variable_data, "at::TensorBase::variable_data() const")

// ---- functions with a gradient (torch/csrc/autograd/custom_function.h) ----

// What calls a function's `forward` keeps a node of the graph of gradients: it changes no tensor and launches nothing. The tensors that are given are
// not looked at, and no gradient is asked for; what runs later by itself, `backward`, is none of the caller's.
NOTHING(node, "torch::autograd::CppNode<*>::CppNode(*")
NOTHING(node_context, "torch::autograd::CppNode<*>::set_ctx_grad_fn(*")
NOTHING(node_edges, "torch::autograd::Node::set_next_edges(*")
NOTHING(node_inputs, "torch::autograd::Node::clear_input_metadata()")
NOTHING(node_room, "std::vector<torch::autograd::VariableInfo, *>::reserve(*")
NOTHING(bits_room, "std::vector<bool, std::allocator<bool> >::reserve(*")
NOTHING(given_variables, "torch::autograd::extract_vars<*")
NOTHING(grad_mode, "c10::AutoGradMode::AutoGradMode(*")
NOTHING(grad_mode_end, "c10::AutoGradMode::~AutoGradMode()")
NOTHING(keep_for_backward, "torch::autograd::AutogradContext::save_for_backward(*")
NOTHING(is_dirty, "torch::autograd::AutogradContext::mark_dirty(*")
NOTHING(not_differentiable, "torch::autograd::AutogradContext::mark_non_differentiable(*")
NOTHING(materialize, "torch::autograd::AutogradContext::set_materialize_grads(*")
bool grad_enabled() MODEL("c10::GradMode::is_enabled()");
bool grad_enabled() { return __scuba_setting(0, 1); }
bool any_gradient(const void *) MODEL("torch::autograd::any_variable_requires_grad(*");
bool any_gradient(const void *) { return false; }
// The node is the graph's: nobody who calls frees it.
struct Shared { void *of, *counts; };
void node_shared(Shared *self, void *node) MODEL("! std::shared_ptr<torch::autograd::CppNode<*> >::shared_ptr<*");
void node_shared(Shared *self, void *node) { self->of = node; self->counts = nullptr; }
void *functorch() MODEL("at::functorch::functorchTLSAccessor()");
void *functorch() { void **none = static_cast<void **>(operator new(sizeof(void *))); *none = nullptr; return none; }

// libstdc++'s std::unordered_set, empty.
struct Set { void *buckets; size_t count; void *first; size_t elements; float load; size_t next; void *single; };
static void empty_set(Set *s) { s->buckets = &s->single; s->count = 1; s->first = nullptr; s->elements = 0; s->load = 1; s->next = 0; s->single = nullptr; }
void dirty(Set *out) MODEL("! torch::autograd::AutogradContext::get_and_bump_dirty() const");
void dirty(Set *out) { empty_set(out); }
void *without_gradient(const void *self) MODEL("! torch::autograd::AutogradContext::get_non_differentiable() const");
void *without_gradient(const void *) { Set *s = static_cast<Set *>(operator new(sizeof(Set))); empty_set(s); return s; }

// libstdc++'s std::vector, of handles and of optional ones.
struct MaybeHandle { Handle handle; bool has; };
struct Handles { Handle *begin, *end, *room; };
struct MaybeHandles { MaybeHandle *begin, *end, *room; };
static MaybeHandle *room_for(MaybeHandles *out, size_t n) {
  MaybeHandle *to = static_cast<MaybeHandle *>(operator new(n * sizeof(MaybeHandle)));
  out->begin = to;
  out->end = out->room = to + n;
  return to;
}
#define MAYBE(i) if (n > i) { to[i].handle = from[i]; to[i].has = true; }
void to_optional(MaybeHandles *out, const Handles *of) MODEL("torch::autograd::to_optional(std::vector<at::Tensor, std::allocator<at::Tensor> >&)");
void to_optional(MaybeHandles *out, const Handles *of) {
  const Handle *from = of->begin;
  size_t n = of->end - from;
  MaybeHandle *to = room_for(out, n);
  if (__scuba_known(n) >= 0 && n <= 8) { EIGHT(MAYBE) return; }
  for (size_t i = 0; i < n; i++) { to[i].handle = from[i]; to[i].has = true; }
}
void to_optional_one(MaybeHandles *out, const Handle *from) MODEL("torch::autograd::to_optional(at::Tensor&)");
void to_optional_one(MaybeHandles *out, const Handle *from) { size_t n = 1; MaybeHandle *to = room_for(out, n); MAYBE(0) }
// Outputs are the tensors themselves, or views with a history of their own.
#define WRAP(i) if (n > i) { to[i].handle = from[i].handle; to[i].has = from[i].has; }
void wrap_outputs(MaybeHandles *out, const void *, const void *, const void *, const MaybeHandle *from, size_t n) MODEL("! torch::autograd::_wrap_outputs(*");
void wrap_outputs(MaybeHandles *out, const void *, const void *, const void *, const MaybeHandle *from, size_t n) {
  MaybeHandle *to = room_for(out, n);
  if (__scuba_known(n) >= 0 && n <= 8) { EIGHT(WRAP) return; }
  for (size_t i = 0; i < n; i++) { to[i].handle = from[i].handle; to[i].has = from[i].has; }
}
#define PLAIN(i) if (n > i) { if (!from[i].has) fail(); to[i] = from[i].handle; }
void to_output(Handles *out, const MaybeHandles *of) MODEL("torch::autograd::to_output_type<std::vector<*");
void to_output(Handles *out, const MaybeHandles *of) {
  const MaybeHandle *from = of->begin;
  size_t n = of->end - from;
  Handle *to = static_cast<Handle *>(operator new(n * sizeof(Handle)));
  out->begin = to;
  out->end = out->room = to + n;
  if (__scuba_known(n) >= 0 && n <= 8) { EIGHT(PLAIN) return; }
  for (size_t i = 0; i < n; i++) PLAIN(i)
}

// What a context keeps by name, and any other c10::IValue (ATen/core/ivalue.h): nothing is known of it.
struct Any { int64_t payload, tag; };
static void any_value(Any *v) { v->payload = __scuba_any(-0x7fffffffffffffffL - 1, 0x7fffffffffffffffL); v->tag = __scuba_any(0, 255); }
#define VALUE(id, name)             \
  void id(Any *self) MODEL("! " name); \
  void id(Any *self) { any_value(self); }
VALUE(value, "c10::IValue::IValue(*")
VALUE(value_of, "c10::IValue::IValue<*")
VALUE(value_of_list, "_ZN3c106IValueC2I*")  // constrained templates, which not every demangler reads
Any *assign_value(Any *self) MODEL("! c10::IValue::operator=(*");
Any *assign_value(Any *self) { any_value(self); return self; }
NOTHING(value_end, "c10::IValue::~IValue()")
Any *kept_by_name(const void *self) MODEL("! ska::flat_hash_map<*c10::IValue*>::operator[](*");
Any *kept_by_name(const void *) { Any *v = static_cast<Any *>(operator new(sizeof(Any))); any_value(v); return v; }
