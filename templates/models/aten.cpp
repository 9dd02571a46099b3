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
extern "C" int memcmp(const void *, const void *, size_t);

extern "C" {
// New memory of the device, that many bytes, and what it holds: nothing yet (0), zeros (1), numbers that are not known (2).
void *__scuba_device_memory(size_t bytes, int holds, int8_t device);
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
// The product of that many sizes of a tensor that a caller gave.
long __scuba_product(const long *sizes, long n);
// What the storage behind holds from now on is not known.
void __scuba_written(void *p);
// A number of which nothing is known but its bounds.
long __scuba_any(long least, long most);
// A number of which nothing is known: what the memory behind holds is not.
long __scuba_held(const void *p);
// The same as a whole number: what `__scuba_keep_extreme` keeps, as long as nothing writes the storage.
long __scuba_whole(const void *p);
// The least or the most of that many integers of so many bytes, with a sign or without, which lie one after the other.
long __scuba_extreme(const void *p, long bytes, long count, long most, long sign);
// The one element of a storage, of a type that is not known, is the least or the most of `count` elements at `p`.
void __scuba_keep_extreme(const void *storage, const void *p, long type, long count, long most);
// What the caller's process or thread has set: a run is one with what is usual.
long __scuba_setting(long least, long most, long usual);
// Whether the operation that runs throws, where that is not known. A replay that goes on behind it proves nothing.
int __scuba_refuses();
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
  void *start;  // of the storage of one that the program made
  bool loose;  // strides are so unless there are no elements
  bool by_sizes;  // and follow from the sizes where there are none
  bool detached;  // some handles have it without its history: for these it is another one (at::Tensor::detach)
  void *original;  // storage of a tensor that a caller gave, whose copy this is, or which it is itself; null where it is surely another one
  const void *self;  // that tensor, where this may be it
  unsigned char code, bits;  // of an element of a tensor of DLPack (DLDataType), which has these instead of `dtype`
  unsigned short lanes;
  int64_t last_strides[4];  // strides from the last dimension on, of a tensor that a caller gave
};

}  // namespace scuba

using Impl = scuba::Tensor;
struct Handle { Impl *impl; };
// std::optional of a type of one byte. Which one it is, nothing has written where there is none.
struct MaybeByte { int8_t value; bool has; };
struct Options { int8_t device_type, device_index; unsigned short dtype; int8_t layout, format; unsigned char has, pad; };

#define MODEL(name) __attribute__((used)) __asm__("scuba.model " name)
#define INLINE static inline __attribute__((always_inline))

namespace {
[[noreturn]] void fail() { throw 1; }
void may_refuse() { if (__scuba_refuses()) fail(); }
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
    case 7: return times(times(times(times(times(times(s[0], s[1]), s[2]), s[3]), s[4]), s[5]), s[6]);
    case 8: return times(times(times(times(times(times(times(s[0], s[1]), s[2]), s[3]), s[4]), s[5]), s[6]), s[7]);
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
    if (!t->made) __scuba_axiom(t->numel == __scuba_product(t->sizes, t->dim));
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
// Strides of a tensor that may have no elements: 1 is taken for a size of 0 then (c10/core/TensorImpl.h, empty_tensor_restride).
INLINE int64_t at_least_one(int64_t n) { return n == 0 ? 1 : n; }
static int64_t least_behind(const Impl *t, int64_t dim, int d) {
  int64_t n = 1;
  if (dim > d + 1) n = times(n, at_least_one(t->sizes[d + 1]));
  if (dim > d + 2) n = times(n, at_least_one(t->sizes[d + 2]));
  if (dim > d + 3) n = times(n, at_least_one(t->sizes[d + 3]));
  if (dim > d + 4) n = times(n, at_least_one(t->sizes[d + 4]));
  return n;
}
#define LOOSE(i)                                                      \
  if (dim > i) {                                                      \
    int64_t stride;                                                   \
    if (t->by_sizes && dim <= 5) {                                    \
      stride = elements(t) == 0 ? least_behind(t, dim, i) : t->strides[i]; \
    } else {                                                          \
      stride = __scuba_any(0, 1L << 40);                              \
      __scuba_axiom(elements(t) == 0 || stride == t->strides[i]);     \
    }                                                                 \
    const_cast<Impl *>(t)->strides[i] = stride;                       \
  }
static void tighten(const Impl *t, int64_t dim) {
  LOOSE(0) LOOSE(1) LOOSE(2) LOOSE(3) LOOSE(4) LOOSE(5) LOOSE(6) LOOSE(7)
  const_cast<Impl *>(t)->loose = false;
}
static void strides_of(const Impl *t) {
  relate(t);
  int64_t dim = __scuba_known(t->dim);
  if (t->made && t->loose && __scuba_known(elements(t) == 0) != 0) tighten(t, dim < 0 ? t->dim : dim);
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
    // The first element is there where any is.
    __scuba_axiom(__scuba_extent(t->data) >= 0);
    if (elements(t) != 0) __scuba_axiom(__scuba_extent(t->data) >= (__scuba_known(t->dtype) < 0 ? 1 : item));
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
  if (d < 0 && d >= -4 && __scuba_known(t->dim) < 0 && (!t->made || t->packed)) return t->last[-1 - d];
  return t->sizes[at];
}

#define EIGHT(of) of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7)

// ---- shapes that are numbers ----

// Sizes and strides of a tensor where all of them are known.
struct Shape {
  int64_t dim, numel;
  int64_t sizes[8], strides[8];
};
#define NUMBERS(i)                                    \
  if (s->dim > i) {                                   \
    s->sizes[i] = __scuba_known(t->sizes[i]);         \
    s->strides[i] = __scuba_known(t->strides[i]);     \
    if (s->sizes[i] < 0 || s->strides[i] < 0) return false; \
    s->numel *= s->sizes[i];                          \
  }
static bool is_known(const Impl *t, Shape *s) {
  if (t->made && (t->packed || t->loose)) return false;
  s->dim = __scuba_known(t->dim);
  if (s->dim < 0 || s->dim > 8) return false;
  s->numel = 1;
  EIGHT(NUMBERS)
  return true;
}

// TensorImpl::compute_contiguous, compute_channels_last_contiguous_2d and _3d (c10/core/Contiguity.h).
static bool lies_in_order(const Shape *s, const int *order) {
  int64_t next = 1;
  for (int i = 0; i < s->dim; i++) {
    int d = order[i];
    if (s->sizes[d] == 1) continue;
    if (s->strides[d] != next) return false;
    next *= s->sizes[d];
  }
  return true;
}
static constexpr int PLAIN[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static constexpr int CHANNELS[2][5] = {{1, 3, 2, 0}, {1, 4, 3, 2, 0}};
static bool lies_contiguous(const Shape *s) {
  if (s->numel == 0) return true;
  int order[8];
  for (int i = 0; i < s->dim; i++) order[i] = static_cast<int>(s->dim) - 1 - i;
  return lies_in_order(s, order);
}
// c10::MemoryFormat: contiguous 0, preserve 1, channels_last 2, channels_last_3d 3.
static bool lies_in(const Shape *s, int format) {
  if (format < 2) return lies_contiguous(s);
  return s->dim == format + 2 && lies_in_order(s, CHANNELS[format - 2]);
}
// Strides one after another in an order, where `least` is what a size counts as at least.
static void lay(Shape *s, const int *order, int64_t least) {
  int64_t next = 1;
  for (int i = 0; i < s->dim; i++) {
    int d = order[i];
    s->strides[d] = next;
    next *= s->sizes[d] < least ? least : s->sizes[d];
  }
}
// TensorImpl::suggest_memory_format: whether strides are those of channels_last (c10/core/MemoryFormat.h).
static int suggested(const Shape *s) {
  for (int format = 2; format < 4; format++) {
    if (s->dim != format + 2 || s->strides[1] == 0) continue;
    int64_t least = 0;
    bool is = true;
    for (int i = 0; i < s->dim && is; i++) {
      int d = CHANNELS[format - 2][i];
      if (s->sizes[d] == 0 || s->strides[d] < least || (d == 0 && least == s->strides[1])) is = false;
      least = s->strides[d];
      if (s->sizes[d] > 1) least *= s->sizes[d];
    }
    if (is) return format;
  }
  return 0;
}
// TensorImpl::compute_non_overlapping_and_dense (c10/core/Contiguity.h).
static bool lies_dense(const Shape *s) {
  if (lies_contiguous(s) || lies_in(s, 2) || lies_in(s, 3)) return true;
  int order[8];
  for (int i = 0; i < s->dim; i++) order[i] = i;
  for (int i = 1; i < s->dim; i++)
    for (int k = i; k > 0; k--) {
      int a = order[k - 1], b = order[k];
      bool behind = s->sizes[a] < 2 ? s->sizes[b] >= 2 : s->sizes[b] >= 2 && s->strides[b] < s->strides[a];
      if (!behind) break;
      order[k - 1] = b;
      order[k] = a;
    }
  int64_t next = 1;
  for (int i = 0; i < s->dim; i++) {
    int d = order[i];
    if (s->sizes[d] < 2) return true;
    if (s->strides[d] != next) return false;
    next *= s->sizes[d];
  }
  return true;
}
// at::infer_dense_strides (ATen/ExpandUtils.cpp), and TensorIteratorBase::reorder_dimensions of one operand (ATen/TensorIterator.cpp); whether it is
// the order in which they are.
static bool by_strides(const Shape *s, int *order) {
  bool plain = true;
  for (int i = 0; i < s->dim; i++) order[i] = static_cast<int>(s->dim) - 1 - i;
  for (int i = 1; i < s->dim; i++) {
    int at = i;
    for (int k = i - 1; k >= 0; k--) {
      int64_t a = s->strides[order[k]], b = s->strides[order[at]];
      if (a == 0 || b == 0) continue;
      if (a < b) break;
      if (a == b && s->sizes[order[k]] <= s->sizes[order[at]]) continue;
      int d = order[k];
      order[k] = order[at];
      order[at] = d;
      at = k;
      plain = false;
    }
  }
  return plain;
}
static void reorder(Shape *s) {
  int order[8];
  bool plain = by_strides(s, order);
  lay(s, order, plain ? 1 : 0);
}
// The strides of a tensor that is made like another one (torch.preserve_format).
static void preserve(Shape *s) {
  if (lies_dense(s)) return;
  int order[8];
  by_strides(s, order);
  lay(s, order, 1);
}
// TensorImpl::empty_tensor_restride.
static void restride(Shape *s, int format) {
  if (format >= 2) {
    lay(s, CHANNELS[format - 2], 0);
    return;
  }
  int order[8];
  for (int i = 0; i < s->dim; i++) order[i] = static_cast<int>(s->dim) - 1 - i;
  lay(s, order, 1);
}
// The strides with which other sizes show the same elements (at::detail::computeStride, ATen/TensorUtils.cpp); false where none do.
static bool seen_as(const Shape *s, Shape *to) {
  if (s->dim == 0 || s->numel == 0) {
    bool same = s->dim == to->dim && s->dim > 0;
    for (int i = 0; i < s->dim && same; i++) same = s->sizes[i] == to->sizes[i];
    if (same) {
      for (int i = 0; i < s->dim; i++) to->strides[i] = s->strides[i];
      return true;
    }
    if (s->dim == 0) {
      for (int i = 0; i < to->dim; i++) to->strides[i] = 1;
      return true;
    }
    restride(to, 0);
    return true;
  }
  int64_t at = to->dim - 1, base = s->strides[s->dim - 1], n = 1, m = 1;
  for (int64_t d = s->dim - 1; d >= 0; d--) {
    n *= s->sizes[d];
    if (d == 0 || (s->sizes[d - 1] != 1 && s->strides[d - 1] != n * base)) {
      while (at >= 0 && (m < n || to->sizes[at] == 1)) {
        to->strides[at] = m * base;
        m *= to->sizes[at];
        at--;
      }
      if (m != n) return false;
      if (d > 0) {
        base = s->strides[d - 1];
        n = m = 1;
      }
    }
  }
  return at == -1;
}
#define STRIDE_OF(i) if (s->dim > i) t->strides[i] = s->strides[i];
static void take_strides(Impl *t, const Shape *s) {
  EIGHT(STRIDE_OF)
  t->contiguous = lies_contiguous(s);
  t->loose = t->packed = false;
}
// TensorImpl::compute_contiguous of sizes and strides that are not numbers.
#define IN_ORDER(i) if (dim > i) in_order = in_order && (t->sizes[i] == 1 || t->strides[i] == behind(t, dim, i));
static bool in_order(const Impl *t, int64_t dim) {
  bool in_order = true;
  IN_ORDER(0) IN_ORDER(1) IN_ORDER(2) IN_ORDER(3) IN_ORDER(4)
  return in_order || t->numel == 0;
}
// Whether a tensor is contiguous; `surely`: it is so by how it was made.
static void judge(Impl *t, bool surely) {
  Shape s;
  int64_t dim = __scuba_known(t->dim);
  if (surely) t->contiguous = true;
  else if (is_known(t, &s)) t->contiguous = lies_contiguous(&s);
  else if (dim >= 0 && dim <= 5) t->contiguous = in_order(t, dim);
  else t->contiguous = __scuba_any(0, 1);
}
// The same of one that is contiguous where another one is, and may be where that is not.
static void judge_like(Impl *t, const Impl *o) {
  judge(t, __scuba_known(o->contiguous) == 1);
  if (__scuba_known(t->contiguous) < 0) __scuba_axiom(!o->contiguous || t->contiguous);
}

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
  t->packed = t->loose = t->by_sizes = t->detached = false;
  t->original = nullptr;
  t->self = nullptr;
  EIGHT(ANY_SIZE)
  t->last[0] = __scuba_any(0, 1L << 40);
  t->last[1] = __scuba_any(0, 1L << 40);
  t->last[2] = __scuba_any(0, 1L << 40);
  t->last[3] = __scuba_any(0, 1L << 40);
  t->data = t->start = __scuba_device_memory(__scuba_any(0, 1L << 47), 2, t->device);
}
static Impl *any_tensor() {
  may_refuse();
  Impl *t = static_cast<Impl *>(operator new(sizeof(Impl)));
  anything(t);
  return t;
}

// A tensor with its own storage; sizes are filled in by the caller.
static Impl *fresh(int8_t dtype, int8_t device) {
  Impl *t = static_cast<Impl *>(operator new(sizeof(Impl)));
  // One that a check fixes is a number from here on.
  int8_t known = __scuba_known(dtype);
  t->dtype = known >= 0 ? known : dtype;
  t->device = device;
  t->contiguous = true;
  t->made = true;
  t->packed = t->loose = t->by_sizes = t->detached = false;
  t->original = nullptr;
  t->self = nullptr;
  return t;
}

static bool is_on_host(const Impl *t) { return __scuba_known(t->device) == 0; }

// New memory where the tensor lies; `holds` as for `__scuba_device_memory`. Kernels cannot reach memory of the host.
static void *memory(const Impl *t, int64_t bytes, int holds) {
  if (!is_on_host(t)) return __scuba_device_memory(bytes, holds, t->device);
  void *p = operator new(bytes);
  __scuba_written(p);
  return p;
}

// Storage of so many bytes, with the elements of another tensor where one is named: in the order in which they lie there, or in another one.
static void *storage(const Impl *t, int64_t bytes, const Impl *of, bool in_order) {
  // Operations in place change what it holds without being followed.
  if (!of || of->made || is_on_host(t)) return memory(t, bytes, 2);
  return __scuba_device_copy(bytes, of->data, in_order);
}

// Strides and storage of a tensor whose sizes are there. Without a loop: each number is known by itself.
#define DIMENSION(i)                                      \
  if (dim > i) {                                          \
    int64_t known = __scuba_known(t->sizes[i]);           \
    if (known < 0) t->loose = true;                       \
    t->strides[i] = stride;                               \
    n = times(n, t->sizes[i]);                            \
    if (known != 0) stride = times(stride, t->sizes[i]);  \
  }
#define DIMENSIONS DIMENSION(7) DIMENSION(6) DIMENSION(5) DIMENSION(4) DIMENSION(3) DIMENSION(2) DIMENSION(1) DIMENSION(0)
static int64_t pack(Impl *t, int64_t dim) {
  int64_t n = 1, stride = 1;
  t->dim = dim;
  t->contiguous = t->by_sizes = true;
  t->loose = t->packed = false;
  DIMENSIONS
  // One dimension has a stride of 1 whatever its size is.
  if (dim < 2) t->loose = false;
  return n;
}
static void finish(Impl *t, int64_t dim, const Impl *of = nullptr, bool in_order = false) {
  t->numel = pack(t, dim);
  t->data = t->start = storage(t, times(t->numel, item_size(t->dtype)), of, in_order);
}
// The strides of a tensor with a format for images, which take so many dimensions; strides are those of elements next to each other.
#define CHANNEL(i) { t->strides[i] = stride; stride = times(stride, t->sizes[i]); }
static void with_channels(Impl *t, int format) {
  if (__scuba_known(t->dim) != format + 2) fail();
  int64_t stride = 1;
  CHANNEL(1)
  if (format == 3) CHANNEL(4)
  CHANNEL(3)
  CHANNEL(2)
  CHANNEL(0)
  t->packed = t->loose = false;
  judge(t, false);
}

#define SIZE(i)                   \
  if (dim > i) {                  \
    if (sizes[i] < 0) fail();     \
    t->sizes[i] = sizes[i];       \
  }
static Impl *of_sizes(const int64_t *sizes, size_t dim, int8_t dtype, int8_t device, int format = 0) {
  Impl *t = fresh(dtype, device);
  if (__scuba_known(dim) < 0 || dim > 8) {
    anything(t);
    t->dtype = dtype;
    t->device = device;
    if (format < 2) t->contiguous = t->packed = true;
    t->dim = dim;
    return t;
  }
  SIZE(0) SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(6) SIZE(7)
  finish(t, dim);
  if (format >= 2) with_channels(t, format);
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
// Sizes from the last one on, of a tensor whose strides are to be had from its being contiguous.
#define FROM_LAST(k) if (dim > k) t->last[k] = t->sizes[dim - 1 - k];
static void packed_in(Impl *t, int64_t dim) {
  FROM_LAST(0) FROM_LAST(1) FROM_LAST(2) FROM_LAST(3)
  t->packed = true;
}

// What is known of a format: its number (c10::MemoryFormat), or that it is kept where none is given.
enum Format { Contiguous = 0, Preserve = 1 };
INLINE int format_of(const MaybeByte &given) { return given.has ? given.value : Preserve; }

// How the strides of one that is made like another one come to be: empty_like and copies keep those of a dense one; operations element by element
// those of one that is not contiguous (TensorIteratorBase::fast_set_up), and with a number only their order (reorder_dimensions).
// Where it computes with another type, the host's memory is converted first (TensorIteratorBase::compute_types).
enum Strides { AsTheyAre, ByElement, WithNumber, Converted, ConvertedWithNumber };
#define COPY_STRIDE(i) t->strides[i] = o->strides[i];
static void keep_strides(Impl *t, const Impl *o, Strides how) {
  Shape s;
  if (is_known(o, &s)) {
    if (how >= Converted) preserve(&s);
    if ((how == WithNumber || how == ConvertedWithNumber) && s.dim > 0) reorder(&s);
    else if (how != AsTheyAre && lies_contiguous(&s)) restride(&s, 0);
    else if (how != AsTheyAre && lies_in(&s, 2)) restride(&s, 2);
    else preserve(&s);
    take_strides(t, &s);
    return;
  }
  // In a contiguous one those of dimensions of size 1 are arbitrary, and all of a tensor without elements.
  if (__scuba_known(o->contiguous) == 1) {
    if (o->made && !o->packed && how == AsTheyAre) {
      EIGHT(COPY_STRIDE)
      t->loose = o->loose;
      t->by_sizes = o->by_sizes;
      return;
    }
    EIGHT(ANY_STRIDE)
    t->loose = false;
    packed_in(t, __scuba_known(t->dim));
    return;
  }
  EIGHT(ANY_STRIDE)
  t->packed = t->loose = false;
  t->contiguous = __scuba_any(0, 1);
  __scuba_axiom(!o->contiguous || t->contiguous);
}
static Impl *like(const Impl *o, int8_t dtype, int8_t device, int format = Preserve, const Impl *of = nullptr, Strides how = AsTheyAre) {
  Impl *t = fresh(dtype, device);
  int64_t dim = __scuba_known(o->dim);
  EIGHT(COPY_SIZE)
  // A dense tensor's elements lie in its copy as they lie in itself.
  bool in_order = __scuba_known(o->contiguous) == 1 && format < 2;
  if (dim >= 0 && dim <= 8) {
    relate(o);
    finish(t, dim, of, in_order);
    if (format >= 2) with_channels(t, format);
    else if (format == Preserve) keep_strides(t, o, how);
    return t;
  }
  if (format >= 2) return any_tensor();
  t->dim = o->dim;
  if (format == Preserve && __scuba_known(o->contiguous) != 1) {
    t->contiguous = __scuba_any(0, 1);
    __scuba_axiom(!o->contiguous || t->contiguous);
  } else {
    t->packed = true;
  }
  EIGHT(ANY_STRIDE)
  same_from_the_end(t, o);
  t->numel = o->numel;
  t->data = t->start = storage(t, times(t->numel, item_size(t->dtype)), of, in_order);
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
  t->data = t->start = storage(t, times(t->numel, item_size(t->dtype)), o, false);
  t->original = o->data;
  t->self = o;
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

// The type of numbers where none is given (torch.set_default_dtype): one of four, which whoever calls an operator has set.
static int8_t default_type() {
  int8_t type = __scuba_setting(Half, BFloat16, Float);
  __scuba_axiom(type == Half || type == Float || type == Double || type == BFloat16);
  return type;
}

// Options' type and device, where they were given (c10/core/TensorOptions.h: has_device_ is bit 2, has_dtype_ bit 3, has_layout_ bit 4,
// has_memory_format_ bit 7).
INLINE int8_t dtype_of(const Options &o) { return (o.has & 8) ? static_cast<int8_t>(o.dtype) : default_type(); }
INLINE int8_t device_of(const Options &o) { return (o.has & 4) ? o.device_type : 0; }
INLINE int8_t dtype_or(const Options &o, const Impl *t) { return (o.has & 8) ? static_cast<int8_t>(o.dtype) : t->dtype; }
INLINE int8_t device_or(const Options &o, const Impl *t) { return (o.has & 4) ? o.device_type : t->device; }
// Elements that do not lie by strides (c10::Layout: kStrided is 0): nothing is known of such a tensor.
INLINE bool is_strided(const Options &o) { return !(o.has & 16) || o.layout == 0; }
// A format may be given in either way, but not in both (c10::impl::check_tensor_options_and_extract_memory_format).
static int format_of(const Options &o, MaybeByte given) {
  if (!(o.has & 128)) return format_of(given);
  if (given.has) fail();
  return o.format;
}

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

// One device is like another here, and a stream like the default one, whose handle is 0 (c10/cuda/CUDAStream.h). A guard of CUDA's devices refuses others
// (c10/cuda/impl/CUDAGuardImpl.h; InlineDeviceGuard::set_device); a guard of any device does nothing for the host.
struct Device { int8_t type, index; };
struct MaybeDevice { int8_t type, index; bool has; };
#define OF_CUDA(id, name)                      \
  void id(void *self, Device d) MODEL(name "(c10::Device)"); \
  void id(void *, Device d) { if (d.type != 1) fail(); }
OF_CUDA(guard_of, "c10::cuda::CUDAGuard::CUDAGuard")
OF_CUDA(guard_set, "c10::cuda::CUDAGuard::set_device")
OF_CUDA(guard_reset, "c10::cuda::CUDAGuard::reset_device")
OF_CUDA(optional_guard_set, "c10::cuda::OptionalCUDAGuard::set_device")
OF_CUDA(optional_guard_reset, "c10::cuda::OptionalCUDAGuard::reset_device")
void optional_guard_of(void *self, MaybeDevice d) MODEL("c10::cuda::OptionalCUDAGuard::OptionalCUDAGuard(std::optional<c10::Device>)");
void optional_guard_of(void *, MaybeDevice d) { if (d.has && d.type != 1) fail(); }
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
bool is_same(const Handle *self, const Handle *o) {
  const Impl *a = self->impl, *b = o->impl;
  if (a != b) return a && b && ((a->made && a->self == b) || (b->made && b->self == a)) ? __scuba_any(0, 1) : false;
  return self->impl && self->impl->detached ? __scuba_any(0, 1) : true;
}

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
// What packed_accessor32 asks beside the tensor's own function (ATen/core/TensorBase.h).
int64_t numel_of_impl(const Impl *t) MODEL("c10::TensorImpl::numel() const");
int64_t numel_of_impl(const Impl *t) { if (!t) fail(); relate(t); return elements(t); }
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
  const Impl *t = there(self);
  if (format < 2) return t->contiguous;
  Shape s;
  int64_t dim = __scuba_known(t->dim);
  if (dim >= 0 && dim != format + 2) return false;
  if (is_known(t, &s)) return lies_in(&s, format);
  return __scuba_any(0, 1);
}

// ---- type and device ----

int8_t scalar_type(const Handle *self) MODEL("at::TensorBase::scalar_type() const");
int8_t scalar_type(const Handle *self) { return there(self)->dtype; }
struct Meta { unsigned short index; };
Meta dtype(const Handle *self) MODEL("at::TensorBase::dtype() const");
Meta dtype(const Handle *self) { return {static_cast<unsigned short>(there(self)->dtype)}; }
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
  const void *const_of_const_##id(const Handle *self) MODEL("at::TensorBase::const_data_ptr<" name " const>() const"); \
  const void *const_of_const_##id(const Handle *self) { return typed(self, type); }                \
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

static Impl *made(const int64_t *sizes, size_t dim, int8_t type, const Options &o, int format = 0) {
  if (!is_strided(o)) return any_tensor();
  return of_sizes(sizes, dim, type, device_of(o), format);
}
// Of tensors that are made anew there is no format to keep.
#define EMPTY(id, name)                                                                                       \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o, MaybeByte format) MODEL(name);                 \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o, MaybeByte format) {                            \
    bool said = format.has || (o.has & 128);                                                          \
    int in = said ? format_of(o, format) : Contiguous;                                                         \
    if (in == Preserve) fail();                                                                                \
    out->impl = made(sizes, dim, dtype_of(o), o, in);                                                          \
  }
EMPTY(at_empty, "at::empty(c10::ArrayRef<long>, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
EMPTY(torch_empty, "torch::empty(c10::ArrayRef<long>, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
#define FILLED(id, name)                                                                         \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o) MODEL(name);          \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o) { out->impl = made(sizes, dim, dtype_of(o), o); }
FILLED(at_zeros, "at::zeros(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(torch_zeros, "torch::zeros(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(at_ones, "at::ones(c10::ArrayRef<long>, c10::TensorOptions)")
FILLED(torch_ones, "torch::ones(c10::ArrayRef<long>, c10::TensorOptions)")
// Whole numbers are no random numbers between 0 and 1.
static bool is_whole(int8_t dtype) { return dtype >= Byte && dtype <= Long; }
#define RANDOM(id, name, none)                                                                   \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o) MODEL(name);          \
  void id(Handle *out, const int64_t *sizes, size_t dim, Options o) {                            \
    out->impl = made(sizes, dim, dtype_of(o), o);                                                \
    if ((o.has & 8) && (is_whole(o.dtype) || o.dtype == Bool) && !(none && out->impl->numel == 0)) fail(); \
  }
RANDOM(at_rand, "at::rand(c10::ArrayRef<long>, c10::TensorOptions)", false)
RANDOM(torch_rand, "torch::rand(c10::ArrayRef<long>, c10::TensorOptions)", false)
RANDOM(at_randn, "at::randn(c10::ArrayRef<long>, c10::TensorOptions)", true)
RANDOM(torch_randn, "torch::randn(c10::ArrayRef<long>, c10::TensorOptions)", true)

// A c10::Scalar that holds a whole number, or a real one (c10/core/Scalar.h: tag HAS_d 0, HAS_i 1, HAS_u 2, HAS_z 3, HAS_b 4).
struct Scalar { int tag; int unused[3]; union { double d; int64_t i; } v; int64_t rest; };
// The type of a tensor that is filled with a number (infer_full_options, ATen/native/TensorFactories.cpp).
static int8_t type_of(const Scalar *value) {
  switch (value->tag) {
    case 0: return default_type();
    case 1: case 2: return Long;
    case 4: return Bool;
    case 3: {
      int8_t part = default_type();
      return part == Float ? ComplexFloat : part == Double ? ComplexDouble : part == Half ? ComplexHalf : __scuba_any(0, 44);
    }
  }
  return __scuba_any(0, 44);
}
// A number that elements of a type may not hold throws (c10/util/TypeCast.h, checked_convert): whether it does is left open but for small ones.
static void fits(const Scalar *value, int8_t dtype) {
  int8_t known = __scuba_known(dtype);
  bool real = known == Float || known == Double || known == BFloat16, surely = false;
  switch (value->tag) {
    case 0: surely = real || known == Bool || (value->v.d >= 0 && value->v.d <= 127); break;
    case 1: surely = real || known == Long || known == Bool || (value->v.i >= (known == Byte || known < 0 || known > 26 ? 0 : -128) && value->v.i <= 127); break;
    case 3: surely = known == ComplexFloat || known == ComplexDouble; break;
    case 4: surely = true; break;
  }
  if (!surely) may_refuse();
}
#define FULL(id, name)                                                                    \
  void id(Handle *out, const int64_t *sizes, size_t dim, const Scalar *value, Options o) MODEL(name); \
  void id(Handle *out, const int64_t *sizes, size_t dim, const Scalar *value, Options o) { \
    if (o.has & 8) fits(value, static_cast<int8_t>(o.dtype));                              \
    out->impl = made(sizes, dim, (o.has & 8) ? static_cast<int8_t>(o.dtype) : type_of(value), o); \
  }
FULL(at_full, "at::full(c10::ArrayRef<long>, c10::Scalar const&, c10::TensorOptions)")
FULL(torch_full, "torch::full(c10::ArrayRef<long>, c10::Scalar const&, c10::TensorOptions)")

static Impl *made_like(const Impl *t, const Options &o, MaybeByte format) {
  int in = format_of(o, format);
  if (!is_strided(o)) return any_tensor();
  return like(t, dtype_or(o, t), device_or(o, t), in);
}
#define LIKE(id, name)                                                                           \
  void id(Handle *out, const Handle *of, Options o, MaybeByte format) MODEL(name);            \
  void id(Handle *out, const Handle *of, Options o, MaybeByte format) { out->impl = made_like(there(of), o, format); }
LIKE(at_empty_like, "at::empty_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(torch_empty_like, "torch::empty_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(at_zeros_like, "at::zeros_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(torch_zeros_like, "torch::zeros_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(at_ones_like, "at::ones_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
LIKE(torch_ones_like, "torch::ones_like(at::Tensor const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")

#define NEW(id, name)                                                                           \
  void id(Handle *out, const Handle *of, const int64_t *sizes, size_t dim, Options o) MODEL(name); \
  void id(Handle *out, const Handle *of, const int64_t *sizes, size_t dim, Options o) {            \
    const Impl *t = there(of);                                                                     \
    out->impl = is_strided(o) ? of_sizes(sizes, dim, dtype_or(o, t), device_or(o, t)) : any_tensor(); \
  }
NEW(new_empty, "at::Tensor::new_empty(c10::ArrayRef<long>, c10::TensorOptions) const")
NEW(new_zeros, "at::Tensor::new_zeros(c10::ArrayRef<long>, c10::TensorOptions) const")
NEW(new_ones, "at::Tensor::new_ones(c10::ArrayRef<long>, c10::TensorOptions) const")
#define FULL_LIKE(id, name)                                                               \
  void id(Handle *out, const Handle *of, const Scalar *value, Options o, MaybeByte format) MODEL(name); \
  void id(Handle *out, const Handle *of, const Scalar *value, Options o, MaybeByte format) { \
    const Impl *t = there(of);                                                             \
    fits(value, dtype_or(o, t));                                                           \
    out->impl = made_like(t, o, format);                                                   \
  }
FULL_LIKE(at_full_like, "at::full_like(at::Tensor const&, c10::Scalar const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")
FULL_LIKE(torch_full_like, "torch::full_like(at::Tensor const&, c10::Scalar const&, c10::TensorOptions, std::optional<c10::MemoryFormat>)")

// ---- tensors made of others ----

static Impl *contiguous_in(Impl *t, int format) {
  if (format == Preserve) {
    if (!t->contiguous) fail();
    return t;
  }
  if (format >= 2) {
    Shape s;
    int64_t dim = __scuba_known(t->dim);
    if (dim < 0) return any_tensor();
    if (dim != format + 2) fail();
    bool is = is_known(t, &s) ? lies_in(&s, format) : __scuba_any(0, 1);
    return is ? t : like(t, t->dtype, t->device, format, t);
  }
  if (__scuba_known(t->contiguous) == 1) return t;
  if (__scuba_known(t->contiguous) == 0) return like(t, t->dtype, t->device, Contiguous, t);
  if (!t->made) return contiguous_of(t);
  return t->contiguous ? t : like(t, t->dtype, t->device, Contiguous, t);
}
void contiguous(Handle *out, const Handle *self, int8_t format) MODEL("at::Tensor::contiguous(c10::MemoryFormat) const");
void contiguous(Handle *out, const Handle *self, int8_t format) { out->impl = contiguous_in(there(self), format); }
void clone(Handle *out, const Handle *self, MaybeByte format) MODEL("at::Tensor::clone(std::optional<c10::MemoryFormat>) const");
void clone(Handle *out, const Handle *self, MaybeByte format) { const Impl *t = there(self); out->impl = like(t, t->dtype, t->device, format_of(format), t); }
void detach(Handle *out, const Handle *self) MODEL("at::Tensor::detach() const");
void detach(Handle *out, const Handle *self) { out->impl = there(self); out->impl->detached = true; }

// What `to`, `cpu` and `cuda` give: the tensor itself where it is as it is asked for (to_will_alias, ATen/native/TensorConversions.cpp), else a copy.
static bool suggests(const Impl *t, int format) {
  Shape s;
  int64_t dim = __scuba_known(t->dim);
  if (dim >= 0 && dim != 4 && dim != 5) return format == Contiguous;
  if (is_known(t, &s)) return suggested(&s) == format;
  return __scuba_any(0, 1);
}
static Impl *converted(Impl *t, int8_t type, int8_t device, bool copy, int format) {
  // Elements of another type are other numbers.
  const Impl *of = __scuba_known(type == t->dtype) == 1 ? t : nullptr;
  bool other = copy || (format != Preserve && !suggests(t, format));
  if (!other && t->dtype == type && t->device == device) return t;
  return like(t, type, device, format, of);
}
void to_cpu(Handle *out, const Handle *self) MODEL("at::Tensor::cpu() const");
void to_cpu(Handle *out, const Handle *self) { Impl *t = there(self); out->impl = converted(t, t->dtype, 0, false, Preserve); }
void to_cuda(Handle *out, const Handle *self) MODEL("at::Tensor::cuda() const");
void to_cuda(Handle *out, const Handle *self) { Impl *t = there(self); out->impl = converted(t, t->dtype, 1, false, Preserve); }
void to_type(Handle *out, const Handle *self, int8_t type, bool, bool copy, MaybeByte format) MODEL("at::Tensor::to(c10::ScalarType, bool, bool, std::optional<c10::MemoryFormat>) const");
void to_type(Handle *out, const Handle *self, int8_t type, bool, bool copy, MaybeByte format) { Impl *t = there(self); out->impl = converted(t, type, t->device, copy, format_of(format)); }

// ---- ranges ----

// As many as there are from the first up to the last, or down to it (ATen/native/RangeUtils.h).
static void range(Handle *out, int64_t from, int64_t to, int64_t step, Options o) {
  if (step == 0 || (step > 0 ? to < from : to > from)) fail();
  int64_t n = step == 1 ? to - from : (to - from + step - (step > 0 ? 1 : -1)) / step;
  out->impl = made(&n, 1, (o.has & 8) ? static_cast<int8_t>(o.dtype) : static_cast<int8_t>(Long), o);
}
static void some_range(Handle *out, Options o) {
  int64_t n = __scuba_any(0, 1L << 47);
  out->impl = made(&n, 1, (o.has & 8) ? static_cast<int8_t>(o.dtype) : static_cast<int8_t>(__scuba_any(0, 44)), o);
}
static void no_truths(const Options &o) {
  if ((o.has & 8) && (o.dtype == Bool || (o.dtype >= ComplexHalf && o.dtype <= ComplexDouble))) fail();
}
#define RANGE(id, ns)                                                                                                  \
  void id(Handle *out, const Scalar *from, const Scalar *to, const Scalar *step, Options o)                            \
      MODEL(ns "::arange(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, c10::TensorOptions)");            \
  void id(Handle *out, const Scalar *from, const Scalar *to, const Scalar *step, Options o) {                          \
    no_truths(o);                                                                                                      \
    if (from->tag == 1 && to->tag == 1 && step->tag == 1) range(out, from->v.i, to->v.i, step->v.i, o);                \
    else some_range(out, o);                                                                                           \
  }                                                                                                                    \
  void id##_from(Handle *out, const Scalar *from, const Scalar *to, Options o)                                         \
      MODEL(ns "::arange(c10::Scalar const&, c10::Scalar const&, c10::TensorOptions)");                                \
  void id##_from(Handle *out, const Scalar *from, const Scalar *to, Options o) {                                       \
    no_truths(o);                                                                                                      \
    if (from->tag == 1 && to->tag == 1) range(out, from->v.i, to->v.i, 1, o);                                          \
    else some_range(out, o);                                                                                           \
  }                                                                                                                    \
  void id##_to(Handle *out, const Scalar *to, Options o) MODEL(ns "::arange(c10::Scalar const&, c10::TensorOptions)"); \
  void id##_to(Handle *out, const Scalar *to, Options o) {                                                             \
    no_truths(o);                                                                                                      \
    if (to->tag == 1) range(out, 0, to->v.i, 1, o);                                                                    \
    else some_range(out, o);                                                                                           \
  }
RANGE(at_arange, "at")
RANGE(torch_arange, "torch")

// ---- operations that are not modelled ----

#define RESHAPES(id, name)                                                                  \
  Handle *id(Handle *self) MODEL("! at::_ops::" name "*::call(*");                           \
  Handle *id(Handle *self) { may_refuse(); anything(there(self)); return self; }
RESHAPES(resize, "resize_") RESHAPES(set, "set_") RESHAPES(squeeze, "squeeze_") RESHAPES(unsqueeze, "unsqueeze_")
RESHAPES(transpose, "transpose_") RESHAPES(transposed, "t_") RESHAPES(swap_axes, "swapaxes_") RESHAPES(swap_dims, "swapdims_")
RESHAPES(as_strided, "as_strided_")
// In place, the contents alone: what they are then is not followed.
static Handle *overwritten(Handle *self) {
  const Impl *t = there(self);
  __scuba_written(t->data);
  if (t->made && t->original) __scuba_written(t->original);
  return self;
}
static Handle *rewritten(Handle *self) {
  may_refuse();
  return overwritten(self);
}
Handle *in_place(Handle *self) MODEL("! at::_ops::*_::call(at::Tensor&*");
Handle *in_place(Handle *self) { return rewritten(self); }
Handle *in_place_overload(Handle *self) MODEL("! at::_ops::*__*::call(at::Tensor&*");
Handle *in_place_overload(Handle *self) { return rewritten(self); }
// Element by element: a tensor of the same shape, of a type that depends on the tensor's (torch.result_type). What no type allows throws.
static bool is_real(int8_t dtype) { return dtype == Half || dtype == Float || dtype == Double || dtype == BFloat16; }
static bool is_complex(int8_t dtype) { return dtype >= ComplexHalf && dtype <= ComplexDouble; }
static Impl *by_element(const Impl *t, int8_t dtype, int8_t common, Strides how = ByElement) {
  // The host has code for few operations on complex numbers of half precision.
  if (__scuba_known(dtype) == ComplexHalf || __scuba_known(common) == ComplexHalf) return any_tensor();
  bool converts = __scuba_known(t->device == 0) != 0 && __scuba_known(t->dtype == common) != 1;
  return like(t, dtype, t->device, Preserve, nullptr, !converts ? how : how == ByElement ? Converted : ConvertedWithNumber);
}
static Impl *by_element(const Impl *t, int8_t dtype) { return by_element(t, dtype, dtype); }
static int8_t if_real(const Impl *t) { return is_real(t->dtype) ? t->dtype : __scuba_any(0, 44); }
// The complex type whose parts are of a type, and the type of its parts (c10::toComplexType, toRealValueType).
static int8_t complex_of(int8_t real) { return real == Half ? ComplexHalf : real == Double ? ComplexDouble : ComplexFloat; }
static int8_t part_of(int8_t dtype) { return dtype == ComplexHalf ? Half : dtype == ComplexFloat ? Float : dtype == ComplexDouble ? Double : dtype; }
// Real numbers of whole ones.
static int8_t real_result(const Impl *t) {
  int8_t known = __scuba_known(t->dtype);
  if (known < 0) return if_real(t);
  return is_whole(known) || known == Bool ? default_type() : is_real(known) || is_complex(known) ? known : __scuba_any(0, 44);
}
// The type itself, but for truths.
static int8_t same_result(const Impl *t) {
  int8_t known = __scuba_known(t->dtype);
  if (known < 0) return if_real(t);
  return is_whole(known) || is_real(known) || is_complex(known) ? known : __scuba_any(0, 44);
}
// Of each element the type in which it is computed is that of the result, but for absolute values.
#define OF_ONE(id, name, type, refused)                                                        \
  void id(Handle *out, const Handle *self) MODEL("! [8] at::_ops::" name "::call(at::Tensor const&*"); \
  void id(Handle *out, const Handle *self) {                                                   \
    const Impl *t = there(self);                                                               \
    int8_t dtype = __scuba_known(t->dtype);                                                    \
    if (refused) fail();                                                                       \
    out->impl = by_element(t, type);                                                           \
  }
#define TO_REAL(id, name) OF_ONE(id, name, real_result(t), false)
TO_REAL(each_exp, "exp") TO_REAL(each_log, "log") TO_REAL(each_log2, "log2") TO_REAL(each_sqrt, "sqrt") TO_REAL(each_rsqrt, "rsqrt")
TO_REAL(each_reciprocal, "reciprocal") TO_REAL(each_sin, "sin") TO_REAL(each_cos, "cos") TO_REAL(each_tanh, "tanh") TO_REAL(each_sigmoid, "sigmoid")
void each_abs(Handle *out, const Handle *self) MODEL("! [8] at::_ops::abs::call(at::Tensor const&*");
void each_abs(Handle *out, const Handle *self) {
  const Impl *t = there(self);
  int8_t dtype = __scuba_known(t->dtype);
  if (dtype == Bool && __scuba_known(t->device) == 0) fail();
  if (dtype >= 0 && is_complex(dtype)) out->impl = like(t, part_of(dtype), t->device);
  else out->impl = by_element(t, same_result(t), t->dtype);
}
OF_ONE(each_square, "square", same_result(t), false)
OF_ONE(each_neg, "neg", same_result(t), dtype == Bool)
OF_ONE(each_sign, "sign", same_result(t), is_complex(dtype))
OF_ONE(each_relu, "relu", same_result(t), dtype == Bool || is_complex(dtype))
OF_ONE(each_silu, "silu", same_result(t), dtype == Bool || is_whole(dtype))
OF_ONE(each_gelu, "gelu", same_result(t), dtype == Bool || is_whole(dtype) || is_complex(dtype))
OF_ONE(each_floor, "floor", same_result(t), dtype == Bool || is_complex(dtype))
OF_ONE(each_ceil, "ceil", same_result(t), dtype == Bool || is_complex(dtype))
OF_ONE(each_round, "round", same_result(t), dtype == Bool || is_complex(dtype))
OF_ONE(each_trunc, "trunc", same_result(t), dtype == Bool || is_complex(dtype))
void bernoulli(Handle *out, const Handle *self) MODEL("! [8] at::_ops::bernoulli::call(at::Tensor const&*");
void bernoulli(Handle *out, const Handle *self) {
  const Impl *t = there(self);
  int8_t dtype = __scuba_known(t->dtype);
  if ((is_complex(dtype) || is_whole(dtype) || dtype == Bool) && elements(t) != 0) fail();
  out->impl = like(t, t->dtype, t->device, Contiguous);
}
// With a number, which changes the type where it is of a higher kind (c10::Scalar's tag: a real, whole or complex one, or a truth).
static int8_t with(int8_t dtype, const Scalar *value) {
  int8_t known = __scuba_known(dtype);
  int tag = value->tag;
  if (tag < 0 || tag > 4) return __scuba_any(0, 44);
  if (known < 0) return tag == 3 ? __scuba_any(0, 44) : is_real(dtype) ? dtype : __scuba_any(0, 44);
  if (is_complex(known)) return known;
  if (tag == 3) return is_real(known) ? complex_of(known) : complex_of(default_type());
  if (is_real(known)) return known;
  if (tag == 0) return default_type();
  if (is_whole(known)) return known;
  return known == Bool ? (tag == 4 ? Bool : Long) : __scuba_any(0, 44);
}
static int8_t quotient(int8_t dtype) { return is_whole(dtype) || dtype == Bool ? default_type() : dtype; }
#define WITH_NUMBER(id, name, type, refused, how)                                            \
  void id(Handle *out, const Handle *self, const Scalar *value) MODEL("! [8] at::_ops::" name "::call(at::Tensor const&, c10::Scalar const&*"); \
  void id(Handle *out, const Handle *self, const Scalar *value) {                            \
    const Impl *t = there(self);                                                             \
    int8_t dtype = __scuba_known(t->dtype);                                                  \
    if (refused) fail();                                                                     \
    int8_t result = type;                                                                    \
    out->impl = by_element(t, result, result, how);                                                    \
  }
WITH_NUMBER(each_clamp_min, "clamp_min", with(t->dtype, value), is_complex(dtype) || value->tag == 3, ByElement)
WITH_NUMBER(each_clamp_max, "clamp_max", with(t->dtype, value), is_complex(dtype) || value->tag == 3, ByElement)
WITH_NUMBER(each_add, "add_Scalar", with(t->dtype, value), false, WithNumber)
WITH_NUMBER(each_sub, "sub_Scalar", with(t->dtype, value), dtype == Bool || value->tag == 4, WithNumber)
WITH_NUMBER(each_mul, "mul_Scalar", with(t->dtype, value), false, WithNumber)
WITH_NUMBER(each_div, "div_Scalar", quotient(with(t->dtype, value)), false, WithNumber)
// Whole numbers to the power of one below 0 are none.
WITH_NUMBER(each_pow, "pow_Tensor_Scalar", with(t->dtype, value), (is_whole(dtype) || dtype == Bool) && value->tag == 1 && value->v.i < 0, ByElement)
struct MaybeScalar { Scalar value; bool has; };
void each_clamp(Handle *out, const Handle *self, const MaybeScalar *least, const MaybeScalar *most) MODEL("! [8] at::_ops::clamp::call(at::Tensor const&*");
void each_clamp(Handle *out, const Handle *self, const MaybeScalar *least, const MaybeScalar *most) {
  const Impl *t = there(self);
  int8_t type = t->dtype;
  if (least->has) type = with(type, &least->value);
  if (most->has) type = with(type, &most->value);
  if (__scuba_known(type) >= 0 && is_complex(type)) fail();
  out->impl = by_element(t, type);
}
#define COMPARED(id, name, order)                                                           \
  void id(Handle *out, const Handle *self, const Scalar *value) MODEL("! [8] at::_ops::" name "_Scalar::call(at::Tensor const&, c10::Scalar const&*"); \
  void id(Handle *out, const Handle *self, const Scalar *value) {                           \
    const Impl *t = there(self);                                                            \
    if (order && (value->tag == 3 || (__scuba_known(t->dtype) >= 0 && is_complex(t->dtype)))) fail(); \
    out->impl = by_element(t, Bool, with(t->dtype, value), WithNumber);                     \
  }
COMPARED(less, "lt", true) COMPARED(at_most, "le", true) COMPARED(greater, "gt", true) COMPARED(at_least, "ge", true)
COMPARED(equal_to, "eq", false) COMPARED(other_than, "ne", false)

// `to` and `toType`: another type, device or format, where one is given.
void to_options(Handle *out, const Handle *self, MaybeByte type, MaybeByte layout, MaybeDevice device, MaybeByte pinned, bool, bool copy, MaybeByte format)
    MODEL("! [8] at::_ops::to_dtype_layout::call(at::Tensor const&*");
void to_options(Handle *out, const Handle *self, MaybeByte type, MaybeByte layout, MaybeDevice device, MaybeByte, bool, bool copy, MaybeByte format) {
  Impl *t = there(self);
  if (layout.has && layout.value != 0) { out->impl = any_tensor(); return; }
  out->impl = converted(t, type.has ? type.value : t->dtype, device.has ? device.type : t->device, copy, format_of(format));
}

// Two tensors element by element: dimensions from the last on, of which one may be 1 (torch's broadcasting semantics).
#define ALIGN(i)                                                        \
  if (dim > i) {                                                        \
    int64_t x = i < dim - n ? 1 : a->sizes[i - (dim - n)];              \
    int64_t y = i < dim - m ? 1 : b->sizes[i - (dim - m)];              \
    if (x != y && x != 1 && y != 1) fail();                             \
    t->sizes[i] = x == 1 ? y : x;                                       \
  }
// Strides of a tensor in the shape of others: 0 where it has one element for several.
static void spread(const Shape *of, const Shape *s, int64_t *strides) {
  int64_t more = s->dim - of->dim;
  for (int i = 0; i < s->dim; i++) strides[i] = i < more || (of->sizes[i - more] == 1 && s->sizes[i] != 1) ? 0 : of->strides[i - more];
}
// Which of two dimensions is the inner one: 1 where the first is the outer one, -1 where it is not, 0 where it does not matter.
static int outer(const int64_t *strides, const int64_t *sizes, int d, int e) {
  if (strides[d] == 0 || strides[e] == 0 ) return 0;
  if (strides[d] != strides[e]) return strides[d] < strides[e] ? -1 : 1;
  return sizes[d] > sizes[e] ? 1 : 0;
}
// The strides of what is computed of two (TensorIteratorBase::fast_set_up and reorder_dimensions).
static void strides_of_two(Shape *s, const Shape *a, const Shape *b) {
  bool same = a->dim == b->dim, equal = true;
  for (int i = 0; i < s->dim && same; i++) {
    same = a->sizes[i] == b->sizes[i];
    equal = equal && a->strides[i] == b->strides[i];
  }
  if (same) {
    for (int format = 0; format < 3; format++)
      if (format != Preserve && lies_in(a, format) && lies_in(b, format)) {
        restride(s, format);
        return;
      }
    if (equal && lies_dense(a) && lies_dense(b)) {
      for (int i = 0; i < s->dim; i++) s->strides[i] = a->strides[i];
      return;
    }
  }
  int64_t x[8], y[8];
  spread(a, s, x);
  spread(b, s, y);
  int order[8];
  bool plain = true;
  for (int i = 0; i < s->dim; i++) order[i] = static_cast<int>(s->dim) - 1 - i;
  for (int i = 1; i < s->dim; i++) {
    int at = i;
    for (int k = i - 1; k >= 0; k--) {
      int is = outer(x, s->sizes, order[k], order[at]);
      if (is == 0) is = outer(y, s->sizes, order[k], order[at]);
      if (is < 0) break;
      if (is == 0) continue;
      int d = order[k];
      order[k] = order[at];
      order[at] = d;
      at = k;
      plain = false;
    }
  }
  lay(s, order, plain ? 1 : 0);
}
// One of the host of no dimensions goes with what is on a device.
static int8_t device_of_two(const Impl *a, const Impl *b, int64_t n, int64_t m) {
  if (__scuba_known(a->device == b->device) != 0) return n > 0 ? a->device : b->device;
  if (n == 0 && a->device == 0) return b->device;
  if (m == 0 && b->device == 0) return a->device;
  fail();
}
static Impl *broadcast(const Impl *a, const Impl *b, int8_t dtype) {
  int64_t n = __scuba_known(a->dim), m = __scuba_known(b->dim);
  if (n < 0 || m < 0 || n > 8 || m > 8) return any_tensor();
  int64_t dim = n < m ? m : n;
  bool packed = n == m && __scuba_known(a->contiguous) == 1 && __scuba_known(b->contiguous) == 1;
  Impl *t = fresh(dtype, device_of_two(a, b, n, m));
  EIGHT(ALIGN)
  finish(t, dim);
  Shape s, x, y;
  // What the host computes with another type it converts first.
  bool host = __scuba_known(t->device == 0) != 0, mixed = __scuba_known(a->dtype == b->dtype) != 1;
  if (!(host && mixed) && is_known(t, &s) && is_known(a, &x) && is_known(b, &y)) {
    if (host && __scuba_known(a->dtype == dtype) != 1) {
      preserve(&x);
      preserve(&y);
    }
    strides_of_two(&s, &x, &y);
    take_strides(t, &s);
    return t;
  }
  EIGHT(ANY_STRIDE)
  t->loose = false;
  if (packed) packed_in(t, dim);
  else t->contiguous = __scuba_any(0, 1);
  return t;
}
static int8_t of_types(const Impl *a, const Impl *b) {
  if (__scuba_known(a->dtype) >= 0) return a->dtype == b->dtype ? a->dtype : __scuba_any(0, 44);
  return a->dtype == b->dtype && is_real(a->dtype) ? a->dtype : __scuba_any(0, 44);
}
#define OF_TWO(id, name, type, refused)                                                                          \
  void id(Handle *out, const Handle *self, const Handle *other) MODEL("! [8] at::_ops::" name "_Tensor::call(at::Tensor const&, at::Tensor const&*"); \
  void id(Handle *out, const Handle *self, const Handle *other) {                                               \
    const Impl *a = there(self), *b = there(other);                                                             \
    if (refused) fail();                                                                                        \
    out->impl = broadcast(a, b, type);                                                                          \
  }
OF_TWO(add_two, "add", of_types(a, b), false)
OF_TWO(sub_two, "sub", of_types(a, b), __scuba_known(a->dtype) == Bool || __scuba_known(b->dtype) == Bool)
OF_TWO(mul_two, "mul", of_types(a, b), false)
OF_TWO(div_two, "div", quotient(of_types(a, b)), false)

// Along one dimension, of which each element is of those before it (torch.cumsum).
static void at_dimension(const Impl *t, int64_t d);
#define ALONG(id, name)                                                                                       \
  void id(Handle *out, const Handle *self, int64_t d, MaybeByte type) MODEL("! [8] at::_ops::" name "::call(at::Tensor const&*"); \
  void id(Handle *out, const Handle *self, int64_t d, MaybeByte type) {                                           \
    const Impl *t = there(self);                                                                              \
    if (__scuba_known(t->dim) >= 0) at_dimension(t, d);                                                       \
    if (type.has && type.value == Bool && elements(t) != 0) fail();                                                 \
    int8_t sums = is_whole(t->dtype) || t->dtype == Bool ? Long : t->dtype;                                   \
    out->impl = like(t, type.has ? type.value : sums, t->device, Contiguous);           \
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
// A tensor of one dimension without elements goes with all others, and adds nothing.
static bool is_nothing(const Impl *o) { return __scuba_known(o->dim) == 1 && __scuba_known(o->sizes[0]) == 0; }
static bool join(Impl *t, const Impl *o, int64_t dim, int64_t at) {
  if (t->dtype != o->dtype) t->dtype = __scuba_any(0, 44);
  if (__scuba_known(t->device) >= 0 && __scuba_known(o->device) >= 0 && t->device != o->device) fail();
  if (is_nothing(o)) return true;
  int64_t other = __scuba_known(o->dim);
  if (other != dim) {
    if (other < 0 || (other == 1 && __scuba_known(o->sizes[0]) < 0) || (dim == 1 && __scuba_known(t->sizes[0]) < 0)) return false;
    fail();
  }
  EIGHT(JOIN_SIZE)
  return true;
}
#define FIRST(i) if (count > i && !o && !is_nothing(there(list->first + i))) { o = there(list->first + i); first = i; }
#define NO_NUMBER(i) if (count > i && __scuba_known(there(list->first + i)->dim) == 0) fail();
#define JOIN(i) if (count > i && i != first && !join(t, there(list->first + i), dim, at)) return any_tensor();
// The format that all of them have (cat_compute_output_memory_format, ATen/native/TensorShape.cpp).
#define FORMAT(i)                                                        \
  if (count > i) {                                                       \
    Shape s;                                                             \
    const Impl *of = there(list->first + i);                             \
    int64_t n = __scuba_known(of->dim);                                  \
    int is = n >= 0 && n < 4 ? 0 : is_known(of, &s) ? suggested(&s) : -1; \
    if (is < 0 || format < 0) format = -1;                               \
    else if (format != is) format = i == 0 ? is : 0;                     \
    if (is == 0 && i > 0 && format > 0) format = 0;                      \
    if (is == 0) plain = true;                                           \
  }
static Impl *joined(const ListRef *list, int64_t d) {
  int64_t count = __scuba_known(list->count), first = 0;
  if (list->tag != 0 || count > 8) return any_tensor();
  if (count < 0) return any_tensor();
  if (count == 0) fail();
  EIGHT(NO_NUMBER)
  const Impl *o = nullptr;
  EIGHT(FIRST)
  if (!o) o = there(list->first);
  int64_t dim = __scuba_known(o->dim);
  if (dim >= 1 && (d < -dim || d >= dim)) {
    if (!is_nothing(o)) fail();
    d = 0;
  }
  int64_t at = __scuba_known(d < 0 ? d + dim : d);
  if (dim < 1 || dim > 8 || at < 0 || at >= dim) return any_tensor();
  Impl *t = fresh(o->dtype, o->device);
  EIGHT(COPY_SIZE)
  EIGHT(JOIN)
  int format = 0;
  bool plain = false;
  EIGHT(FORMAT)
  if (plain && format > 0) format = 0;
  finish(t, dim);
  if (format >= 2) {
    with_channels(t, format);
  } else if (format < 0 && !plain) {
    EIGHT(ANY_STRIDE)
    t->loose = false;
    t->contiguous = __scuba_any(0, 1);
  }
  return t;
}
void cat(Handle *out, const ListRef *list, int64_t d) MODEL("! [8] at::_ops::cat::call(*");
void cat(Handle *out, const ListRef *list, int64_t d) { out->impl = joined(list, d); }

// ---- the one element of a tensor, as a number ----

// A number of which nothing is known.
static void any_double(double *d) { __scuba_written(d); }
#define ELEMENT(type, as) case type: out->v.i = *static_cast<const as *>(p); break;
// `item` (_local_scalar_dense, ATen/native/Scalar.cpp): a number of the kind of the type; it writes nothing.
static void number_in(Scalar *out, const Impl *t) {
  relate(t);
  if (elements(t) != 1) fail();
  const void *p = data_of(t);
  out->tag = 1;
  if (t->made && __scuba_known(t->dtype) < 0) {
    out->tag = __scuba_any(0, 4);
    out->v.i = out->rest = __scuba_held(p);
    return;
  }
  switch (t->dtype) {
    ELEMENT(Byte, unsigned char) ELEMENT(Char, int8_t) ELEMENT(Short, short) ELEMENT(Int, int) ELEMENT(Long, int64_t)
    ELEMENT(27, unsigned short) ELEMENT(28, unsigned int)
    case 29:
      out->v.i = *static_cast<const int64_t *>(p);
      if (out->v.i < 0) out->tag = 2;
      break;
    case Bool:
      out->tag = 4;
      out->v.i = *static_cast<const unsigned char *>(p) != 0;
      break;
    case Float:
      out->tag = 0;
      out->v.d = *static_cast<const float *>(p);
      break;
    case Double:
      out->tag = 0;
      out->v.d = *static_cast<const double *>(p);
      break;
    case ComplexHalf: case ComplexFloat: case ComplexDouble:
      out->tag = 3;
      any_double(&out->v.d);
      __scuba_written(&out->rest);
      break;
    default:
      out->tag = 0;
      any_double(&out->v.d);
  }
}
void item(Scalar *out, const Handle *self) MODEL("at::_ops::item::call(at::Tensor const&)");
void item(Scalar *out, const Handle *self) { number_in(out, there(self)); }
void local_scalar(Scalar *out, const Handle *self) MODEL("at::_ops::_local_scalar_dense::call(at::Tensor const&)");
void local_scalar(Scalar *out, const Handle *self) { number_in(out, there(self)); }

// As another type, which throws where it cannot hold the number (c10/util/TypeCast.h, `overflows`).
static int64_t whole(const Handle *self, int64_t least, int64_t most) {
  const Impl *t = there(self);
  if (t->made && __scuba_known(t->dtype) < 0) {
    relate(t);
    if (elements(t) != 1) fail();
    int64_t held = __scuba_whole(data_of(t));
    if (least == 0 && held < 0) return __scuba_any(least, most);
    if (held < least || held > most) fail();
    return held;
  }
  Scalar s;
  number_in(&s, there(self));
  if (s.tag == 0) {
    double d = s.v.d;
    if (!(d >= static_cast<double>(least) && d <= static_cast<double>(most))) fail();
    if (d > 9e18) return __scuba_any(least, most);
    return static_cast<int64_t>(d);
  }
  if (s.tag != 1 && s.tag != 4) return __scuba_any(least, most);
  // Below 0, a number without a sign wraps.
  if (least == 0 && s.v.i < 0) return __scuba_any(least, most);
  // Elements of a type that the other one holds need no check.
  int8_t of = self->impl->dtype;
  bool holds = of == Bool || of == Char || (of == Byte && most >= 255) || (of == Short && most >= 32767) || (of == Int && most >= 2147483647) || (of == Long && most > 2147483647);
  if (!(holds && least < 0) && (s.v.i < least || s.v.i > most)) fail();
  return s.v.i;
}
#define ITEM(type, name, id, least, most)                                       \
  type item_##id(const Handle *self) MODEL("at::Tensor::item<" name ">() const"); \
  type item_##id(const Handle *self) { return static_cast<type>(whole(self, least, most)); }
ITEM(unsigned char, "unsigned char", u8, 0, 255)
ITEM(int8_t, "signed char", i8, -128, 127)
ITEM(short, "short", i16, -32768, 32767)
ITEM(int, "int", i32, -2147483647L - 1, 2147483647)
ITEM(int64_t, "long", i64, -0x7fffffffffffffffL - 1, 0x7fffffffffffffffL)

// Numbers that stand for sizes while a program is traced (c10/core/SymInt.h, SymFloat.h, SymBool.h): one is asked for itself, and no tensor changes.
struct SymFloat { double data; void *node; };
struct SymBool { bool data; void *node; };
void to_sym_int(int64_t *out, const Scalar *self) MODEL("c10::Scalar::toSymInt() const");
void to_sym_int(int64_t *out, const Scalar *self) {
  if (self->tag == 1 && self->v.i >= -(1L << 62)) *out = self->v.i;
  else *out = __scuba_any(-(1L << 62), 0x7fffffffffffffffL);
}
int64_t to_long(const Scalar *self) MODEL("c10::Scalar::toLong() const");
int64_t to_long(const Scalar *self) {
  if (self->tag == 1 || self->tag == 4) return self->v.i;
  if (self->tag != 0) {
    may_refuse();
    return __scuba_any(-0x7fffffffffffffffL - 1, 0x7fffffffffffffffL);
  }
  double d = self->v.d;
  if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)) fail();
  return static_cast<int64_t>(d);
}
void to_sym_float(SymFloat *out, const Scalar *self) MODEL("c10::Scalar::toSymFloat() const");
void to_sym_float(SymFloat *out, const Scalar *self) {
  if (self->tag == 0) out->data = self->v.d;
  else any_double(&out->data);
  out->node = nullptr;
}
void to_sym_bool(SymBool *out, const Scalar *self) MODEL("c10::Scalar::toSymBool() const");
void to_sym_bool(SymBool *out, const Scalar *self) {
  out->data = self->tag == 4 ? self->v.i != 0 : __scuba_any(0, 1);
  out->node = nullptr;
}

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
  t->start = o->made ? o->start : o->data;
  t->dtype = o->dtype;
  t->device = o->device;
  t->made = true;
  t->packed = t->detached = false;
  t->original = o->made ? o->original : nullptr;
  t->self = nullptr;
  t->loose = o->made && o->loose;
  t->by_sizes = false;
  t->contiguous = __scuba_any(0, 1);
  t->dim = o->dim;
  t->numel = elements(o);
  t->lead = __scuba_any(0, 1L << 47);
  return t;
}
// The same where the shape is not followed.
static Impl *some_shape_of(const Impl *o) {
  Impl *t = view_of(o);
  void *data = t->data, *start = t->start, *original = t->original;
  int8_t dtype = t->dtype, device = t->device;
  anything(t);
  t->data = data;
  t->start = start;
  t->original = original;
  t->dtype = dtype;
  t->device = device;
  return t;
}
// The same where such a shape may throw.
static Impl *some_view_of(const Impl *o) {
  may_refuse();
  return some_shape_of(o);
}
// The same of a part that begins somewhere in it.
static Impl *some_part_of(const Impl *o) {
  Impl *t = some_view_of(o);
  t->data = static_cast<char *>(t->data) + __scuba_any(0, 1L << 47);
  return t;
}
#define KEEP(i) t->sizes[i] = o->sizes[i]; t->strides[i] = o->strides[i];
#define FROM(to, of) t->sizes[to] = o->sizes[of]; t->strides[to] = o->strides[of];
// Sizes that keep the order and the number of the elements of a contiguous tensor: those of size 1 may have any strides.
static void keep_order(Impl *t, const Impl *o) {
  if (__scuba_known(t->dim) < 0) return;
  judge_like(t, o);
}
// c10::maybe_wrap_dim, for which a tensor of no dimensions has one.
static int64_t wrapped_scalar(const Impl *o, int64_t d) {
  int64_t dim = __scuba_known(o->dim);
  if (dim > 0 || dim < 0 && o->dim != 0) return wrapped(o, d);
  if (d < -1 || d > 0) fail();
  return 0;
}
static void at_dimension(const Impl *o, int64_t d) { wrapped_scalar(o, d); }

static Impl *swapped(const Impl *o, int64_t a, int64_t b) {
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) return some_view_of(o);
  a = wrapped_scalar(o, a);
  b = wrapped_scalar(o, b);
  Impl *t = view_of(o);
  EIGHT(KEEP)
  FROM(a, b)
  FROM(b, a)
  judge(t, dim < 2 && __scuba_known(o->contiguous) == 1);
  return t;
}
void transpose_(Handle *out, const Handle *self, int64_t a, int64_t b) MODEL("at::Tensor::transpose(long, long) const");
void transpose_(Handle *out, const Handle *self, int64_t a, int64_t b) { out->impl = swapped(there(self), a, b); }
void transposed_matrix(Handle *out, const Handle *self) MODEL("at::Tensor::t() const");
void transposed_matrix(Handle *out, const Handle *self) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0) {
    if (o->dim > 2) fail();
    out->impl = some_view_of(o);
    return;
  }
  if (dim > 2) fail();
  out->impl = swapped(o, 0, dim < 2 ? 0 : 1);
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
  strides_of(o);
  if (index < -o->sizes[d] || index >= o->sizes[d]) fail();
  if (index < 0) index += o->sizes[d];
  Impl *t = without(o, d, dim);
  t->numel = product(t, dim - 1);
  t->data = static_cast<char *>(t->data) + times(times(index, o->strides[d]), item_size(o->dtype));
  if (__scuba_known(d) == 0) judge_like(t, o);
  else judge(t, false);
  return t;
}
void select(Handle *out, const Handle *self, int64_t d, int64_t index) MODEL("at::Tensor::select(long, long) const");
void select(Handle *out, const Handle *self, int64_t d, int64_t index) { out->impl = selected(there(self), d, index); }
void indexed(Handle *out, const Handle *self, int64_t index) MODEL("at::Tensor::operator[](long) const");
void indexed(Handle *out, const Handle *self, int64_t index) { out->impl = selected(there(self), 0, index); }

// Elements from one on, each so many behind the one before.
static Impl *part(const Impl *o, int64_t d, int64_t start, int64_t length, int64_t step) {
  int64_t dim = __scuba_known(o->dim);
  Impl *t = view_of(o);
  EIGHT(KEEP)
  t->sizes[d] = length;
  if (step != 1) t->strides[d] = times(o->strides[d], step);
  t->numel = product(t, dim);
  t->data = static_cast<char *>(t->data) + times(times(start, o->strides[d]), item_size(o->dtype));
  if (__scuba_known(d) == 0 && step == 1) judge_like(t, o);
  else judge(t, false);
  return t;
}
static Impl *narrowed(const Impl *o, int64_t d, int64_t start, int64_t length) {
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) return some_part_of(o);
  d = wrapped(o, d);
  strides_of(o);
  int64_t size = o->sizes[d];
  if (length < 0 || start < -size || start > size) fail();
  if (start < 0) start += size;
  if (start > size - length) fail();
  return part(o, d, start, length, 1);
}
void narrow(Handle *out, const Handle *self, int64_t d, int64_t start, int64_t length) MODEL("at::Tensor::narrow(long, long, long) const");
void narrow(Handle *out, const Handle *self, int64_t d, int64_t start, int64_t length) { out->impl = narrowed(there(self), d, start, length); }
struct OptionalLong { int64_t value; bool has; };
void slice(Handle *out, const Handle *self, int64_t d, OptionalLong from, OptionalLong to, int64_t step)
    MODEL("at::Tensor::slice(long, std::optional<long>, std::optional<long>, long) const");
void slice(Handle *out, const Handle *self, int64_t d, OptionalLong from, OptionalLong to, int64_t step) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (step < 1) fail();
  if (dim < 0 || dim > 8) { out->impl = some_part_of(o); return; }
  d = wrapped(o, d);
  strides_of(o);
  int64_t size = o->sizes[d];
  int64_t a = from.has ? from.value : 0, b = to.has ? to.value : size;
  if (a < 0) a += size;
  if (b < 0) b += size;
  if (a < 0) a = 0; else if (a > size) a = size;
  if (b < a) b = a; else if (b > size) b = size;
  out->impl = part(o, d, a, step == 1 ? b - a : (b - a + step - 1) / step, step);
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
  keep_order(t, o);
  out->impl = t;
}
void squeeze_view(Handle *out, const Handle *self) MODEL("at::Tensor::squeeze() const");
void squeeze_view(Handle *out, const Handle *self) {
  const Impl *o = there(self);
  Shape s;
  if (!is_known(o, &s)) {
    Impl *t = some_shape_of(o);
    t->numel = elements(o);
    t->contiguous = __scuba_any(0, 1);
    __scuba_axiom(!o->contiguous || t->contiguous);
    out->impl = t;
    return;
  }
  Impl *t = view_of(o);
  t->dim = 0;
  for (int i = 0; i < s.dim; i++)
    if (s.sizes[i] != 1) {
      t->sizes[t->dim] = s.sizes[i];
      t->strides[t->dim] = s.strides[i];
      t->dim++;
    }
  judge(t, false);
  out->impl = t;
}
void squeeze_one(Handle *out, const Handle *self, int64_t d) MODEL("at::Tensor::squeeze(long) const");
void squeeze_one(Handle *out, const Handle *self, int64_t d) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) { out->impl = some_view_of(o); return; }
  d = wrapped_scalar(o, d);
  if (dim == 0 || o->sizes[d] != 1) {
    Impl *t = view_of(o);
    EIGHT(KEEP)
    keep_order(t, o);
    out->impl = t;
    return;
  }
  Impl *t = without(o, d, dim);
  keep_order(t, o);
  out->impl = t;
}

// Sizes of which one may be -1: what is left.
#define INFER(i) if (n > i) { if (sizes[i] == -1) { if (open >= 0) fail(); open = i; } else { if (sizes[i] < 0) fail(); rest = times(rest, sizes[i]); } }
#define TAKE(i) if (n > i && i != open) t->sizes[i] = sizes[i];
#define TAKEN(i) to.sizes[i] = __scuba_known(t->sizes[i]); if (n > i && to.sizes[i] < 0) known = false;
// A copy of all elements, in order.
static void own_storage(Impl *t, const Impl *o, int64_t all) {
  t->data = t->start = storage(t, times(all, item_size(t->dtype)), o, false);
  t->original = nullptr;
}
static Impl *shaped(const Impl *o, const int64_t *sizes, size_t n, bool copies) {
  if (__scuba_known(n) < 0 || n > 8) {
    // What copies may give another storage.
    return copies && __scuba_known(o->contiguous) != 1 ? any_tensor() : some_view_of(o);
  }
  int64_t open = -1, rest = 1;
  INFER(0) INFER(1) INFER(2) INFER(3) INFER(4) INFER(5) INFER(6) INFER(7)
  relate(o);
  int64_t all = elements(o);
  Impl *t = view_of(o);
  EIGHT(TAKE)
  if (open >= 0) {
    if (rest == 0) fail();
    t->sizes[open] = all / rest;
    if (times(t->sizes[open], rest) != all) fail();
  } else if (rest != all) {
    fail();
  }
  t->dim = n;
  t->numel = all;
  Shape from, to;
  to.dim = n;
  bool known = true;
  EIGHT(TAKEN)
  if (is_known(o, &from) && known) {
    bool seen = seen_as(&from, &to);
    if (!seen) {
      if (!copies) fail();
      restride(&to, 0);
      own_storage(t, o, all);
    }
    to.numel = from.numel;
    const Shape *s = &to;
    take_strides(t, s);
    return t;
  }
  EIGHT(ANY_STRIDE)
  t->loose = false;
  if (__scuba_known(o->contiguous) == 1) {
    // In order, but for the strides of dimensions of size 1.
    packed_in(t, n);
    t->contiguous = true;
    return t;
  }
  t->contiguous = __scuba_any(0, 1);
  __scuba_axiom(!o->contiguous || t->contiguous);
  if (copies && __scuba_any(0, 1)) {
    // A copy is contiguous. What is contiguous is not copied.
    __scuba_axiom(!o->contiguous && t->contiguous);
    own_storage(t, o, all);
  }
  return t;
}
void view(Handle *out, const Handle *self, const int64_t *sizes, size_t n) MODEL("at::Tensor::view(c10::ArrayRef<long>) const");
void view(Handle *out, const Handle *self, const int64_t *sizes, size_t n) { out->impl = shaped(there(self), sizes, n, false); }
void reshape(Handle *out, const Handle *self, const int64_t *sizes, size_t n) MODEL("at::Tensor::reshape(c10::ArrayRef<long>) const");
void reshape(Handle *out, const Handle *self, const int64_t *sizes, size_t n) { out->impl = shaped(there(self), sizes, n, true); }
// Dimensions from one to another as one.
#define BEFORE(i) if (i < from && i < dim) sizes[n++] = o->sizes[i];
#define WITHIN(i) if (i >= from && i <= to && i < dim) one = times(one, o->sizes[i]);
#define BEHIND(i) if (i > to && i < dim) sizes[n++] = o->sizes[i];
void flatten(Handle *out, const Handle *self, int64_t from, int64_t to) MODEL("at::Tensor::flatten(long, long) const");
void flatten(Handle *out, const Handle *self, int64_t from, int64_t to) {
  Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim), one = -1;
  if (dim < 0 && from == 0 && to == -1) {
    if (o->dim == 1) out->impl = o;
    else out->impl = shaped(o, &one, 1, true);
    return;
  }
  if (dim < 0 || dim > 8 || __scuba_known(from < 0 ? -from : from) < 0 || __scuba_known(to < 0 ? -to : to) < 0) {
    out->impl = __scuba_known(o->contiguous) == 1 ? some_view_of(o) : any_tensor();
    return;
  }
  from = wrapped_scalar(o, from);
  to = wrapped_scalar(o, to);
  if (from > to) fail();
  if (dim > 0 && from == to) { out->impl = o; return; }
  one = 1;
  int64_t sizes[8], n = 0;
  EIGHT(BEFORE)
  EIGHT(WITHIN)
  sizes[n++] = one;
  EIGHT(BEHIND)
  out->impl = shaped(o, sizes, n, true);
}
void permute(Handle *out, const Handle *self, const int64_t *dims, size_t n) MODEL("at::Tensor::permute(c10::ArrayRef<long>) const");
void permute(Handle *out, const Handle *self, const int64_t *dims, size_t n) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim);
  if (dim < 0 || dim > 8) { out->impl = some_view_of(o); return; }
  if (static_cast<int64_t>(n) != dim) fail();
  Impl *t = view_of(o);
  int64_t seen = 0;
#define MOVE(i)                              \
  if (dim > i) {                             \
    int64_t of = wrapped(o, dims[i]);        \
    if ((seen >> of) & 1) fail();            \
    seen |= 1L << of;                        \
    FROM(i, of)                              \
  }
  EIGHT(MOVE)
  judge(t, false);
  out->impl = t;
}
// More dimensions in front, and one element again and again where there was one.
void expand(Handle *out, const Handle *self, const int64_t *sizes, size_t n, bool) MODEL("at::Tensor::expand(c10::ArrayRef<long>, bool) const");
void expand(Handle *out, const Handle *self, const int64_t *sizes, size_t n, bool) {
  const Impl *o = there(self);
  int64_t dim = __scuba_known(o->dim), more = static_cast<int64_t>(n) - dim;
  if (dim < 0 || __scuba_known(n) < 0 || n > 8) { out->impl = some_view_of(o); return; }
  if (more < 0) fail();
  strides_of(o);
  Impl *t = view_of(o);
  t->dim = n;
  // From the last one on: one that is new in front has the stride that it would have anyway (inferExpandGeometry, ATen/ExpandUtils.cpp).
  // A negative size throws where the storage is measured, which it is not where there are no elements (checkInBoundsForStorage, ATen/native/Resize.h).
#define IS_NONE(i) if (n > i && sizes[i] == 0) none = true;
#define NEGATIVE                            \
  if (to < 0) {                             \
    bool none = false;                      \
    EIGHT(IS_NONE)                          \
    if (!none) fail();                      \
    out->impl = some_shape_of(o);           \
    return;                                 \
  }
#define WIDEN(i)                                                                                    \
  if (static_cast<int64_t>(n) > i) {                                                                \
    int64_t to = sizes[i];                                                                          \
    if (i < more) {                                                                                 \
      if (to == -1) fail();                                                                         \
      NEGATIVE                                                                                      \
      int64_t next = static_cast<int64_t>(n) > i + 1 ? times(t->sizes[i + 1], t->strides[i + 1]) : 1; \
      t->sizes[i] = to;                                                                             \
      t->strides[i] = to == 1 && dim > 0 ? next : 0;                                                \
    } else if (to == -1 || to == o->sizes[i - more]) {                                              \
      FROM(i, i - more)                                                                             \
    } else if (o->sizes[i - more] == 1) {                                                           \
      NEGATIVE                                                                                      \
      t->sizes[i] = to;                                                                             \
      t->strides[i] = 0;                                                                            \
    } else {                                                                                        \
      fail();                                                                                       \
    }                                                                                               \
  }
  WIDEN(7) WIDEN(6) WIDEN(5) WIDEN(4) WIDEN(3) WIDEN(2) WIDEN(1) WIDEN(0)
  t->numel = product(t, n);
  judge(t, false);
  out->impl = t;
}
// Sizes, strides and an offset in the storage, which has to have all of these elements (at::native::checkInBoundsForStorage).
#define STRIDED(i)                                                          \
  if (n > i) {                                                              \
    if (sizes[i] < 0 || strides[i] < 0) fail();                             \
    t->sizes[i] = sizes[i];                                                 \
    t->strides[i] = strides[i];                                             \
    if (sizes[i] == 0) none = true;                                         \
    last = last + times(sizes[i] - 1, strides[i]);                          \
  }
void as_strided(Handle *out, const Handle *self, const int64_t *sizes, size_t n, const int64_t *strides, size_t m, OptionalLong offset)
    MODEL("at::Tensor::as_strided(c10::ArrayRef<long>, c10::ArrayRef<long>, std::optional<long>) const");
void as_strided(Handle *out, const Handle *self, const int64_t *sizes, size_t n, const int64_t *strides, size_t m, OptionalLong offset) {
  const Impl *o = there(self);
  if (n != m) fail();
  if (__scuba_known(n) < 0 || n > 8) { out->impl = some_part_of(o); return; }
  Impl *t = view_of(o);
  int64_t item = item_size(o->dtype), last = 1;
  bool none = false;
  EIGHT(STRIDED)
  // An offset counts from the start of the storage. What lies before a tensor that a caller gave is not used.
  if (offset.has) {
    if (offset.value < 0) fail();
    t->data = static_cast<char *>(t->start) + times(offset.value, item);
  }
  t->dim = n;
  t->numel = product(t, n);
  t->loose = false;
  if (!none && times(last, item) > __scuba_extent(t->data)) fail();
  judge(t, false);
  out->impl = t;
}

// ---- sizes that are compared ----

#define SAME(i) if (n > i && a[i] != b[i]) return false;
bool equal_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) MODEL("c10::operator==<long>(c10::ArrayRef<long>, c10::ArrayRef<long>)");
bool equal_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) {
  if (n != m) return false;
  if (__scuba_known(n) < 0 && __scuba_known(m) < 0) return !memcmp(a, b, n * sizeof(int64_t));
  if (__scuba_known(n) < 0) n = m;
  SAME(0) SAME(1) SAME(2) SAME(3) SAME(4) SAME(5) SAME(6) SAME(7)
  return n <= 8 || !memcmp(a + 8, b + 8, (n - 8) * sizeof(int64_t));
}
bool other_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) MODEL("c10::operator!=<long>(c10::ArrayRef<long>, c10::ArrayRef<long>)");
bool other_sizes(const int64_t *a, size_t n, const int64_t *b, size_t m) { return !equal_sizes(a, n, b, m); }

// ---- checks of several tensors (ATen/TensorUtils.h) ----

struct Arg { const Handle *tensor; const char *name; int pos; };
// Tensors that are not defined are passed over, and the others compared with the first that is (checkAllSame).
#define OF_ALL(i, what) if (n > i && all[i].tensor->impl) { const Impl *t = all[i].tensor->impl; if (!first) { first = t; } else { what } }
#define OF_EACH(i, what) if (n > i && all[i].tensor->impl) { const Impl *t = all[i].tensor->impl; what }
#define TWELVE(of, what) of(0, what) of(1, what) of(2, what) of(3, what) of(4, what) of(5, what) of(6, what) of(7, what) of(8, what) of(9, what) of(10, what) of(11, what)
#define CHECK_LIST(id, name, of, what)                                                             \
  void id(const char *, const Arg *all, size_t n) MODEL("at::" name "(char const*, c10::ArrayRef<at::TensorArg>)"); \
  void id(const char *, const Arg *all, size_t n) {                                                \
    const Impl *first = nullptr;                                                                   \
    (void)first;                                                                                   \
    TWELVE(of, what)                                                                               \
    if (__scuba_known(n) < 0 || n > 12) may_refuse();                                              \
  }
#define CHECK_TWO(id, name, what)                                                                  \
  void id(const char *, const Arg *a, const Arg *b) MODEL("at::" name "(char const*, at::TensorArg const&, at::TensorArg const&)"); \
  void id(const char *, const Arg *a, const Arg *b) { const Impl *t = there(b->tensor), *first = there(a->tensor); what }
#define ON_GPU if (t->device == 0 || first->device == 0) fail();
#define OF_TYPE if (t->dtype != first->dtype || t->device != first->device) fail();
#define OF_NUMEL if (t != first) { relate(t); relate(first); if (elements(t) != elements(first)) fail(); }
#define OF_SIZES if (t != first && !equal_sizes(t->sizes, t->dim, first->sizes, first->dim)) fail();
#define CHECK_SAME(id, all, two, what) CHECK_LIST(all_##id, all, OF_ALL, what) CHECK_TWO(id, two, what)
CHECK_SAME(same_gpu, "checkAllSameGPU", "checkSameGPU", ON_GPU)
CHECK_SAME(same_type, "checkAllSameType", "checkSameType", OF_TYPE)
CHECK_SAME(same_numel, "checkAllSameNumel", "checkSameNumel", OF_NUMEL)
CHECK_SAME(same_size, "checkAllSameSize", "checkSameSize", OF_SIZES)
CHECK_LIST(all_contiguous, "checkAllContiguous", OF_EACH, if (!t->contiguous) fail();)
#define IS_DEFINED(i) if (n > i && !all[i].tensor->impl) fail();
void all_defined(const char *, const Arg *all, size_t n) MODEL("at::checkAllDefined(char const*, c10::ArrayRef<at::TensorArg>)");
void all_defined(const char *, const Arg *all, size_t n) { EIGHT(IS_DEFINED) if (__scuba_known(n) < 0 || n > 8) may_refuse(); }
void is_defined(const char *, const Arg *t) MODEL("at::checkDefined(char const*, at::TensorArg const&)");
void is_defined(const char *, const Arg *t) { there(t->tensor); }
void of_scalar_type(const char *, const Arg *t, int8_t type) MODEL("at::checkScalarType(char const*, at::TensorArg const&, c10::ScalarType)");
void of_scalar_type(const char *, const Arg *t, int8_t type) { if (there(t->tensor)->dtype != type) fail(); }
#define ONE_OF(i) if (n > i && t->dtype == types[i]) found = true;
void of_scalar_types(const char *, const Arg *arg, const int8_t *types, size_t n) MODEL("at::checkScalarTypes(char const*, at::TensorArg const&, c10::ArrayRef<c10::ScalarType>)");
void of_scalar_types(const char *, const Arg *arg, const int8_t *types, size_t n) {
  const Impl *t = there(arg->tensor);
  bool found = false;
  EIGHT(ONE_OF)
  if (__scuba_known(n) < 0 || n > 8) may_refuse();
  else if (!found) fail();
}
#define ON_DEVICE(i) if (n > i && all[i].impl && all[i].impl->device != device) fail();
void of_device_type(const char *, const Handle *all, size_t n, int8_t device) MODEL("at::checkDeviceType(char const*, c10::ArrayRef<at::Tensor>, c10::DeviceType)");
void of_device_type(const char *, const Handle *all, size_t n, int8_t device) { EIGHT(ON_DEVICE) if (__scuba_known(n) < 0 || n > 8) may_refuse(); }
void has_dim(const char *, const Handle *self, const char *, int, int64_t dim) MODEL("at::checkDim(char const*, at::Tensor const&, char const*, int, long)");
void has_dim(const char *, const Handle *self, const char *, int, int64_t dim) { if (there(self)->dim != dim) fail(); }
void has_dim_size(const Handle *self, int64_t dim, int64_t d, int64_t size) MODEL("at::check_dim_size(at::Tensor const&, long, long, long)");
void has_dim_size(const Handle *self, int64_t dim, int64_t d, int64_t size) {
  const Impl *t = there(self);
  if (t->dim != dim || size_at(t, d) != size) fail();
}
// A tensor by its shape alone (at::TensorGeometryArg): the tensor itself stands for it here.
struct Geometry { const Impl *impl; };
void geometry(Geometry *self, Arg of) MODEL("at::TensorGeometryArg::TensorGeometryArg(at::TensorArg)");
void geometry(Geometry *self, Arg of) { self->impl = there(of.tensor); }
NOTHING(geometry_end, "at::TensorGeometryArg::~TensorGeometryArg()")
#define OF_GEOMETRY "(char const*, at::TensorGeometryArg const&"
void geometry_dim(const char *, const Geometry *t, int64_t dim) MODEL("at::checkDim" OF_GEOMETRY ", long)");
void geometry_dim(const char *, const Geometry *t, int64_t dim) { if (t->impl->dim != dim) fail(); }
void geometry_dims(const char *, const Geometry *t, int64_t from, int64_t to) MODEL("at::checkDimRange" OF_GEOMETRY ", long, long)");
void geometry_dims(const char *, const Geometry *t, int64_t from, int64_t to) { if (t->impl->dim < from || t->impl->dim >= to) fail(); }
void geometry_same_dim(const char *, const Geometry *a, const Geometry *b) MODEL("at::checkSameDim" OF_GEOMETRY ", at::TensorGeometryArg const&)");
void geometry_same_dim(const char *, const Geometry *a, const Geometry *b) { if (a->impl->dim != b->impl->dim) fail(); }
void geometry_contiguous(const char *, const Geometry *t) MODEL("at::checkContiguous" OF_GEOMETRY ")");
void geometry_contiguous(const char *, const Geometry *t) { if (!t->impl->contiguous) fail(); }
void geometry_numel(const char *, const Geometry *t, int64_t n) MODEL("at::checkNumel" OF_GEOMETRY ", long)");
void geometry_numel(const char *, const Geometry *t, int64_t n) { relate(t->impl); if (elements(t->impl) != n) fail(); }
void geometry_size(const char *, const Geometry *t, int64_t d, int64_t size) MODEL("at::checkSize" OF_GEOMETRY ", long, long)");
void geometry_size(const char *, const Geometry *t, int64_t d, int64_t size) { if (size_at(t->impl, d) != size) fail(); }
void geometry_sizes(const char *, const Geometry *t, const int64_t *sizes, size_t n) MODEL("at::checkSize" OF_GEOMETRY ", c10::ArrayRef<long>)");
void geometry_sizes(const char *, const Geometry *t, const int64_t *sizes, size_t n) { if (!equal_sizes(t->impl->sizes, t->impl->dim, sizes, n)) fail(); }

// ---- settings of the process, properties of a device ----

void *global_context() MODEL("at::globalContext()");
void *global_context() { return operator new(1); }
NOTHING(not_deterministic, "at::Context::alertNotDeterministic(*")
bool deterministic(const void *) MODEL("at::Context::deterministicAlgorithms() const");
bool deterministic(const void *) { return __scuba_setting(0, 1, 0); }
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
  void id(Handle *out, const Handle *self) { out->impl = there(self); out->impl->detached = true; }
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
bool grad_enabled() { return __scuba_setting(0, 1, 0); }
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
