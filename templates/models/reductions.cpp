// What reductions, sorts, selections and products of matrices give, as far as shapes, types and storage depend on it (PyTorch 2.11,
// ATen/native/ReduceOps.cpp, ReduceOpsUtils.h, Sorting.cpp, TensorCompare.cpp, LinearAlgebra.cpp, TensorShape.cpp). Behind aten.cpp.
//
// An operation throws here where PyTorch throws for every tensor of such a shape and type. Where that depends on elements, or on the type in a way that
// differs between devices, it may refuse (`may_refuse`).

// Whole and real numbers, truths and complex numbers of floats and doubles: the other types have few operations.
static bool is_usual(int8_t dtype) {
  return dtype <= Double || dtype == ComplexFloat || dtype == ComplexDouble || dtype == Bool || dtype == BFloat16;
}
static void usual_type(const Impl *t) {
  int8_t known = __scuba_known(t->dtype);
  if (known >= 0 && !is_usual(known)) may_refuse();
}
static void no_complex(const Impl *t) { if (is_complex(t->dtype)) fail(); }
// An operation that goes over elements throws for a type only where there are some.
static void no_complex_elements(const Impl *t) {
  relate(t);
  if (is_complex(t->dtype) && elements(t) != 0) fail();
}
static void some_elements(const Impl *t) {
  relate(t);
  if (elements(t) == 0) fail();
}

// ---- reductions ----

static Impl *scalar_of(const Impl *t, int8_t dtype) {
  Impl *r = fresh(dtype, t->device);
  finish(r, 0);
  return r;
}
// Without one dimension, or with a size of 1 there.
#define KEPT(i) if (dim > i) r->sizes[i] = i == d ? 1 : t->sizes[i];
#define LEFT(i) if (dim > i + 1) r->sizes[i] = i < d ? t->sizes[i] : t->sizes[i + 1];
static Impl *reduced(const Impl *t, int64_t d, bool keep, int8_t dtype) {
  int64_t dim = __scuba_known(t->dim);
  d = wrapped_scalar(t, d);
  if (dim < 0 || dim > 8) return any_tensor();
  Impl *r = fresh(dtype, t->device);
  if (keep) {
    EIGHT(KEPT)
    finish(r, dim);
  } else {
    EIGHT(LEFT)
    finish(r, dim == 0 ? 0 : dim - 1);
  }
  return r;
}
// A reduction along a dimension without elements has no result where there is a rest of them (zero_numel_check_dims).
static void some_along(const Impl *t, int64_t d) {
  if (t->dim == 0) { wrapped_scalar(t, d); return; }
  d = wrapped(t, d);
  if (t->sizes[d] == 0) fail();
}

// Several dimensions, or all where none is given.
struct MaybeArray { const int64_t *p; size_t n; bool has; };
#define MASK(i)                                        \
  if (n > i) {                                         \
    int64_t of = __scuba_known(wrapped_scalar(t, dims.p[i])); \
    if (of < 0) return any_tensor();                   \
    if ((mask >> of) & 1) fail();                      \
    mask |= 1L << of;                                  \
  }
#define ONE_IN_MASK(i) if (dim > i) r->sizes[i] = (mask >> i) & 1 ? 1 : t->sizes[i];
#define NOT_IN_MASK(i) if (dim > i && !((mask >> i) & 1)) r->sizes[left++] = t->sizes[i];
static Impl *reduced_all(const Impl *t, MaybeArray dims, bool keep, int8_t dtype) {
  int64_t dim = __scuba_known(t->dim), n = dims.has ? __scuba_known(dims.n) : 0;
  if (n == 0 && !keep) return scalar_of(t, dtype);
  if (n == 1) return reduced(t, dims.p[0], keep, dtype);
  if (dim < 0 || dim > 8 || n < 0 || n > 8) return any_tensor();
  int64_t mask = n == 0 ? -1 : 0, left = 0;
  EIGHT(MASK)
  Impl *r = fresh(dtype, t->device);
  if (keep) {
    EIGHT(ONE_IN_MASK)
    finish(r, dim);
  } else {
    EIGHT(NOT_IN_MASK)
    finish(r, left);
  }
  return r;
}

static int8_t summed(const Impl *t, MaybeByte type) {
  if (type.has) return type.value;
  int8_t known = __scuba_known(t->dtype);
  if (known >= 0 && !is_usual(known)) return __scuba_any(0, 44);
  return is_whole(t->dtype) || t->dtype == Bool ? Long : t->dtype;
}
// at::sum and at::prod: truths and whole numbers as numbers of 64 bits.
#define SUMMED(id, name)                                                                                             \
  void id(Handle *out, const Handle *self, MaybeByte type) MODEL("at::_ops::" name "::call(at::Tensor const&, std::optional<c10::ScalarType>)"); \
  void id(Handle *out, const Handle *self, MaybeByte type) {                                                         \
    const Impl *t = there(self);                                                                                     \
    usual_type(t);                                                                                                   \
    out->impl = scalar_of(t, summed(t, type));                                                                       \
  }
SUMMED(sum_of_all, "sum") SUMMED(product_of_all, "prod")
void sum_along(Handle *out, const Handle *self, MaybeArray dims, bool keep, MaybeByte type)
    MODEL("at::_ops::sum_dim_IntList::call(at::Tensor const&, c10::OptionalArrayRef<long>, bool, std::optional<c10::ScalarType>)");
void sum_along(Handle *out, const Handle *self, MaybeArray dims, bool keep, MaybeByte type) {
  const Impl *t = there(self);
  usual_type(t);
  out->impl = reduced_all(t, dims, keep, summed(t, type));
}
void product_along(Handle *out, const Handle *self, int64_t d, bool keep, MaybeByte type)
    MODEL("at::_ops::prod_dim_int::call(at::Tensor const&, long, bool, std::optional<c10::ScalarType>)");
void product_along(Handle *out, const Handle *self, int64_t d, bool keep, MaybeByte type) {
  const Impl *t = there(self);
  usual_type(t);
  out->impl = reduced(t, d, keep, summed(t, type));
}
// Whole numbers have no mean.
static int8_t averaged(const Impl *t, MaybeByte type) {
  int8_t to = type.has ? type.value : t->dtype;
  usual_type(t);
  if (is_whole(to) || to == Bool) fail();
  return to;
}
void mean_of_all(Handle *out, const Handle *self, MaybeByte type) MODEL("at::_ops::mean::call(at::Tensor const&, std::optional<c10::ScalarType>)");
void mean_of_all(Handle *out, const Handle *self, MaybeByte type) { const Impl *t = there(self); out->impl = scalar_of(t, averaged(t, type)); }
void mean_along(Handle *out, const Handle *self, MaybeArray dims, bool keep, MaybeByte type)
    MODEL("at::_ops::mean_dim::call(at::Tensor const&, c10::OptionalArrayRef<long>, bool, std::optional<c10::ScalarType>)");
void mean_along(Handle *out, const Handle *self, MaybeArray dims, bool keep, MaybeByte type) {
  const Impl *t = there(self);
  out->impl = reduced_all(t, dims, keep, averaged(t, type));
}

// Stores the least or the most element of a tensor of whole numbers where these lie one after the other.
static void keep_extreme(Impl *r, const Impl *t, bool most) {
  int8_t type = __scuba_known(t->dtype);
  if (type > Long || __scuba_known(t->contiguous) != 1) return;
  if (type < Byte) {
    // A later check of the type tells which bound it is; that of an operator is `data_ptr<int64_t>()`.
    __scuba_keep_extreme(r->data, data_of(t), t->dtype, elements(t), most);
    return;
  }
  int64_t value = __scuba_extreme(data_of(t), item_size(type), elements(t), most, type != Byte);
  switch (type) {
    case Byte: *static_cast<unsigned char *>(r->data) = value; break;
    case Char: *static_cast<int8_t *>(r->data) = value; break;
    case Short: *static_cast<short *>(r->data) = value; break;
    case Int: *static_cast<int *>(r->data) = value; break;
    case Long: *static_cast<int64_t *>(r->data) = value; break;
  }
}
// The same for a reduction along `count` different dimensions, or along all for none: one number if no other is left.
static void keep_extreme_along(Impl *r, const Impl *t, int64_t count, bool most) {
  int64_t dim = __scuba_known(t->dim), n = __scuba_known(count);
  if (__scuba_known(r->dim) >= 0 && dim >= 0 && dim <= 8 && (n == 0 || n == dim || n == 1 && dim == 0)) keep_extreme(r, t, most);
}
// at::max and at::min.
#define MOST_OF(id, name, most)                                                  \
  void id(Handle *out, const Handle *self) MODEL("at::_ops::" name "::call(at::Tensor const&)"); \
  void id(Handle *out, const Handle *self) {                                     \
    const Impl *t = there(self);                                                 \
    usual_type(t);                                                               \
    some_elements(t);                                                            \
    no_complex(t);                                                               \
    out->impl = scalar_of(t, t->dtype);                                          \
    keep_extreme(out->impl, t, most);                                            \
  }
MOST_OF(greatest, "max", true) MOST_OF(smallest, "min", false)
// With its index, which is the tuple's second element: libstdc++'s std::tuple begins with the last one.
#define MOST_ALONG(id, name, most)                                                                            \
  void id(Handle *out, const Handle *self, int64_t d, bool keep) MODEL("at::_ops::" name "_dim::call(at::Tensor const&, long, bool)"); \
  void id(Handle *out, const Handle *self, int64_t d, bool keep) {                                            \
    const Impl *t = there(self);                                                                              \
    usual_type(t);                                                                                            \
    some_along(t, d);                                                                                         \
    no_complex(t);                                                                                            \
    out[1].impl = reduced(t, d, keep, t->dtype);                                                              \
    out[0].impl = reduced(t, d, keep, Long);                                                                  \
    keep_extreme_along(out[1].impl, t, 1, most);                                                              \
  }
MOST_ALONG(greatest_along, "max", true) MOST_ALONG(smallest_along, "min", false)
#define SOME_ALONG(i) if (n > i) some_along(t, dims[i]);
#define MOST_ALONG_ALL(id, name, most)                                                                           \
  void id(Handle *out, const Handle *self, const int64_t *dims, size_t count, bool keep) MODEL("at::_ops::" name "::call(at::Tensor const&, c10::ArrayRef<long>, bool)"); \
  void id(Handle *out, const Handle *self, const int64_t *dims, size_t count, bool keep) {                    \
    const Impl *t = there(self);                                                                              \
    int64_t n = __scuba_known(count);                                                                         \
    usual_type(t);                                                                                            \
    no_complex_elements(t);                                                                                   \
    if (n == 0) some_elements(t);                                                                             \
    EIGHT(SOME_ALONG)                                                                                         \
    if (n < 0 || n > 8) may_refuse();                                                                         \
    MaybeArray all = {dims, count, true};                                                                     \
    out->impl = reduced_all(t, all, keep, t->dtype);                                                          \
    keep_extreme_along(out->impl, t, n, most);                                                                \
  }
MOST_ALONG_ALL(greatest_along_all, "amax", true) MOST_ALONG_ALL(smallest_along_all, "amin", false)
// Where it is.
#define PLACE_OF(id, name)                                                                                     \
  void id(Handle *out, const Handle *self, OptionalLong d, bool keep) MODEL("at::_ops::" name "::call(at::Tensor const&, std::optional<long>, bool)"); \
  void id(Handle *out, const Handle *self, OptionalLong d, bool keep) {                                        \
    const Impl *t = there(self);                                                                               \
    usual_type(t);                                                                                             \
    if (d.has) some_along(t, d.value);                                                                         \
    else some_elements(t);                                                                                     \
    if (is_complex(t->dtype) || t->dtype == Bool) fail();                                                      \
    MaybeArray none = {nullptr, 0, false};                                                                     \
    out->impl = d.has ? reduced(t, d.value, keep, Long) : reduced_all(t, none, keep, Long);                    \
  }
PLACE_OF(place_of_greatest, "argmax") PLACE_OF(place_of_smallest, "argmin")
// at::any and at::all: truths, or bytes of bytes.
static int8_t truth(const Impl *t) { return t->dtype == Byte ? Byte : Bool; }
#define TRUTH(id, name)                                                          \
  void id(Handle *out, const Handle *self) MODEL("at::_ops::" name "::call(at::Tensor const&)"); \
  void id(Handle *out, const Handle *self) {                                     \
    const Impl *t = there(self);                                                 \
    usual_type(t);                                                               \
    out->impl = scalar_of(t, truth(t));                                          \
  }                                                                              \
  void id##_along(Handle *out, const Handle *self, int64_t d, bool keep) MODEL("at::_ops::" name "_dim::call(at::Tensor const&, long, bool)"); \
  void id##_along(Handle *out, const Handle *self, int64_t d, bool keep) {       \
    const Impl *t = there(self);                                                 \
    usual_type(t);                                                               \
    out->impl = reduced(t, d, keep, truth(t));                                   \
  }
TRUTH(any_of_all, "any") TRUTH(all_of_all, "all")

// ---- sorts ----

// The shape of the tensor, dense (at::infer_dense_strides).
static void sorted(Handle *values, Handle *indices, const Impl *t, int64_t d) {
  usual_type(t);
  wrapped_scalar(t, d);
  no_complex(t);
  if (values) values->impl = like(t, t->dtype, t->device);
  indices->impl = like(t, Long, t->device);
}
void sort(Handle *out, const Handle *self, int64_t d, bool) MODEL("at::_ops::sort::call(at::Tensor const&, long, bool)");
void sort(Handle *out, const Handle *self, int64_t d, bool) { sorted(out + 1, out, there(self), d); }
void sort_stable(Handle *out, const Handle *self, MaybeByte, int64_t d, bool) MODEL("at::_ops::sort_stable::call(at::Tensor const&, std::optional<bool>, long, bool)");
void sort_stable(Handle *out, const Handle *self, MaybeByte, int64_t d, bool) { sorted(out + 1, out, there(self), d); }
void argsort(Handle *out, const Handle *self, int64_t d, bool) MODEL("at::_ops::argsort::call(at::Tensor const&, long, bool)");
void argsort(Handle *out, const Handle *self, int64_t d, bool) { sorted(nullptr, out, there(self), d); }
void argsort_stable(Handle *out, const Handle *self, bool, int64_t d, bool) MODEL("at::_ops::argsort_stable::call(at::Tensor const&, bool, long, bool)");
void argsort_stable(Handle *out, const Handle *self, bool, int64_t d, bool) { sorted(nullptr, out, there(self), d); }
#define FIRST_OF(i) if (dim > i) r->sizes[i] = i == d ? k : t->sizes[i];
static Impl *first_of(const Impl *t, int64_t k, int64_t d, int8_t dtype) {
  int64_t dim = __scuba_known(t->dim);
  if (dim < 0 || dim > 8) return any_tensor();
  d = wrapped_scalar(t, d);
  if (k < 0 || k > (dim == 0 ? 1 : t->sizes[d])) fail();
  Impl *r = fresh(dtype, t->device);
  EIGHT(FIRST_OF)
  finish(r, dim);
  return r;
}
static void topk(Handle *out, const Impl *t, int64_t k, int64_t d) {
  usual_type(t);
  // Whether there is code for truths depends on the device.
  if (is_complex(t->dtype) || t->dtype == Bool) may_refuse();
  out[1].impl = first_of(t, k, d, t->dtype);
  out[0].impl = first_of(t, k, d, Long);
}
void topk_of_tensor(Handle *out, const Handle *self, int64_t k, int64_t d, bool, bool) MODEL("at::Tensor::topk(long, long, bool, bool) const");
void topk_of_tensor(Handle *out, const Handle *self, int64_t k, int64_t d, bool, bool) { topk(out, there(self), k, d); }
void topk_function(Handle *out, const Handle *self, int64_t k, int64_t d, bool, bool) MODEL("at::topk(at::Tensor const&, long, long, bool, bool)");
void topk_function(Handle *out, const Handle *self, int64_t k, int64_t d, bool, bool) { topk(out, there(self), k, d); }
void flip(Handle *out, const Handle *self, const int64_t *dims, size_t count) MODEL("at::_ops::flip::call(at::Tensor const&, c10::ArrayRef<long>)");
#define FLIPPED(i)                                       \
  if (n > i) {                                           \
    int64_t of = __scuba_known(wrapped_scalar(t, dims[i])); \
    if (of < 0) may_refuse();                            \
    else if ((mask >> of) & 1) fail();                   \
    else mask |= 1L << of;                               \
  }
void flip(Handle *out, const Handle *self, const int64_t *dims, size_t count) {
  const Impl *t = there(self);
  int64_t n = __scuba_known(count), mask = 0;
  usual_type(t);
  if (n < 0 || n > 8) may_refuse();
  EIGHT(FLIPPED)
  out->impl = like(t, t->dtype, t->device);
}

// ---- selections ----

// How many there are depends on elements.
static int64_t some_of(const Impl *t) {
  relate(t);
  int64_t n = __scuba_any(0, 1L << 47);
  __scuba_axiom(n <= elements(t));
  return n;
}
void nonzero(Handle *out, const Handle *self) MODEL("at::_ops::nonzero::call(at::Tensor const&)");
void nonzero(Handle *out, const Handle *self) {
  const Impl *t = there(self);
  usual_type(t);
  Impl *r = fresh(Long, t->device);
  r->sizes[0] = some_of(t);
  r->sizes[1] = t->dim;
  finish(r, 2);
  // On a device the indices of a dimension lie one after another.
  r->strides[0] = __scuba_any(0, 1L << 40);
  r->strides[1] = __scuba_any(0, 1L << 47);
  r->loose = false;
  r->contiguous = __scuba_any(0, 1);
  out->impl = r;
}
void masked_select(Handle *out, const Handle *self, const Handle *mask) MODEL("at::_ops::masked_select::call(at::Tensor const&, at::Tensor const&)");
void masked_select(Handle *out, const Handle *self, const Handle *mask) {
  const Impl *t = there(self), *m = there(mask);
  usual_type(t);
  if (m->dtype != Bool) fail();
  // Both have to be on one device, also where one has no dimensions.
  if (t->device != m->device) may_refuse();
  const Impl *both = broadcast(t, m, t->dtype);
  Impl *r = fresh(t->dtype, t->device);
  r->sizes[0] = some_of(both);
  finish(r, 1);
  out->impl = r;
}
void index_select(Handle *out, const Handle *self, int64_t d, const Handle *index) MODEL("at::_ops::index_select::call(at::Tensor const&, long, at::Tensor const&)");
void index_select(Handle *out, const Handle *self, int64_t d, const Handle *index) {
  const Impl *t = there(self), *of = there(index);
  int64_t dim = __scuba_known(t->dim), n = __scuba_known(of->dim);
  usual_type(t);
  if (of->dim > 1) fail();
  if (of->dtype != Int && of->dtype != Long) fail();
  if (t->device != of->device) fail();
  if (dim < 1 || dim > 8 || n < 0) { out->impl = any_tensor(); return; }
  d = wrapped(t, d);
  relate(of);
  int64_t k = elements(of);
  // An index beyond the dimension throws, or stops the device.
  if (k != 0 && t->sizes[d] == 0) fail();
  if (k != 0) may_refuse();
  Impl *r = fresh(t->dtype, t->device);
  EIGHT(FIRST_OF)
  finish(r, dim);
  out->impl = r;
}
// A shape in which all three go together; strides are plain where all of them are.
void where(Handle *out, const Handle *condition, const Handle *self, const Handle *other)
    MODEL("at::_ops::where_self::call(at::Tensor const&, at::Tensor const&, at::Tensor const&)");
void where(Handle *out, const Handle *condition, const Handle *self, const Handle *other) {
  const Impl *c = there(condition), *a = there(self), *b = there(other);
  if (c->dtype != Bool && c->dtype != Byte) fail();
  usual_type(a);
  usual_type(b);
  int8_t dtype = of_types(a, b);
  const Impl *both = broadcast(a, b, dtype);
  Impl *t = broadcast(both, c, dtype);
  int64_t dim = __scuba_known(t->dim);
  if (__scuba_known(c->dim) == dim && __scuba_known(a->dim) == dim && __scuba_known(b->dim) == dim && __scuba_known(c->contiguous) == 1 &&
      __scuba_known(a->contiguous) == 1 && __scuba_known(b->contiguous) == 1) {
    out->impl = t;
    return;
  }
  EIGHT(ANY_STRIDE)
  t->packed = t->loose = false;
  t->contiguous = __scuba_any(0, 1);
  out->impl = t;
}

// Tensors of one shape one beside another, along a new dimension.
#define SAME_SHAPE(i)                                                                              \
  if (count > i) {                                                                                 \
    const Impl *o = there(list + i);                                                               \
    if (o->dtype != first->dtype) dtype = __scuba_any(0, 44);                                      \
    if (o->device != first->device) fail();                                                        \
    if (__scuba_known(o->contiguous) != 1) plain = false;                                          \
    int64_t n = __scuba_known(o->dim);                                                             \
    if (n < 0) { out->impl = any_tensor(); return; }                                               \
    if (n != dim) fail();                                                                          \
    for (int k = 0; k < dim; k++) if (o->sizes[k] != first->sizes[k]) fail();                      \
  }
#define WITH_NEW(i) if (dim + 1 > i) t->sizes[i] = i < d ? first->sizes[i] : i == d ? count : first->sizes[i - 1 < 0 ? 0 : i - 1];
void stack(Handle *out, const Handle *list, size_t size, int64_t d) MODEL("at::_ops::stack::call(c10::ArrayRef<at::Tensor>, long)");
void stack(Handle *out, const Handle *list, size_t size, int64_t d) {
  int64_t count = __scuba_known(size);
  if (count < 0 || count > 8) { out->impl = any_tensor(); return; }
  if (count == 0) fail();
  const Impl *first = there(list);
  int64_t dim = __scuba_known(first->dim);
  if (dim < 0 || dim > 7) { out->impl = any_tensor(); return; }
  if (d < -dim - 1 || d > dim) fail();
  if (d < 0) d += dim + 1;
  int8_t dtype = first->dtype;
  bool plain = true;
  usual_type(first);
  EIGHT(SAME_SHAPE)
  Impl *t = fresh(dtype, first->device);
  EIGHT(WITH_NEW)
  finish(t, dim + 1);
  if (!plain) {
    EIGHT(ANY_STRIDE)
    t->loose = false;
    t->contiguous = __scuba_any(0, 1);
  }
  out->impl = t;
}

// ---- contents that are replaced ----

Handle *zero(Handle *self) MODEL("at::_ops::zero_::call(at::Tensor&)");
Handle *zero(Handle *self) { usual_type(there(self)); return overwritten(self); }
Handle *fill(Handle *self, const Scalar *value) MODEL("at::_ops::fill__Scalar::call(at::Tensor&, c10::Scalar const&)");
Handle *fill(Handle *self, const Scalar *value) { fits(value, there(self)->dtype); return overwritten(self); }
#define GOES_INTO(i)                                                        \
  if (dim > i && i >= dim - n) {                                            \
    int64_t from = o->sizes[i - (dim - n)];                                 \
    if (from != t->sizes[i] && from != 1) fail();                           \
  }
static void goes_into(const Impl *t, const Impl *o) {
  int64_t dim = __scuba_known(t->dim), n = __scuba_known(o->dim);
  usual_type(t);
  usual_type(o);
  if (dim < 0 || n < 0 || dim > 8 || n > 8) {
    may_refuse();
  } else {
    if (n > dim) fail();
    EIGHT(GOES_INTO)
    // No element may stand for several ones (at::assert_no_internal_overlap).
    if (!t->contiguous) may_refuse();
  }
}
Handle *copy(Handle *self, const Handle *source, bool) MODEL("at::_ops::copy_::call(at::Tensor&, at::Tensor const&, bool)");
Handle *copy(Handle *self, const Handle *source, bool) {
  goes_into(there(self), there(source));
  return overwritten(self);
}

// ---- products of matrices ----

// Real and complex numbers have them everywhere. Those of whole numbers and truths depend on the device.
static void multiplied(const Impl *a, const Impl *b) {
  int8_t known = __scuba_known(a->dtype);
  if (known >= 0 && !is_real(known) && known != ComplexFloat && known != ComplexDouble) may_refuse();
  if (a->dtype != b->dtype) fail();
  if (a->device != b->device) fail();
}
static Impl *matrix(const Impl *a, int64_t rows, int64_t columns) {
  Impl *t = fresh(a->dtype, a->device);
  t->sizes[0] = rows;
  t->sizes[1] = columns;
  finish(t, 2);
  return t;
}
static Impl *product_of_two(const Impl *a, const Impl *b) {
  if (a->dim != 2 || b->dim != 2) fail();
  multiplied(a, b);
  if (a->sizes[1] != b->sizes[0]) fail();
  return matrix(a, a->sizes[0], b->sizes[1]);
}
void mm(Handle *out, const Handle *self, const Handle *other) MODEL("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)");
void mm(Handle *out, const Handle *self, const Handle *other) { out->impl = product_of_two(there(self), there(other)); }
void bmm(Handle *out, const Handle *self, const Handle *other) MODEL("at::_ops::bmm::call(at::Tensor const&, at::Tensor const&)");
void bmm(Handle *out, const Handle *self, const Handle *other) {
  const Impl *a = there(self), *b = there(other);
  if (a->dim != 3 || b->dim != 3) fail();
  multiplied(a, b);
  if (a->sizes[0] != b->sizes[0] || a->sizes[2] != b->sizes[1]) fail();
  Impl *t = fresh(a->dtype, a->device);
  t->sizes[0] = a->sizes[0];
  t->sizes[1] = a->sizes[1];
  t->sizes[2] = b->sizes[2];
  finish(t, 3);
  out->impl = t;
}
// Vectors, matrices, and batches of these, whose other dimensions are broadcast (torch.matmul).
#define BATCH(i)                                                                     \
  if (batches > i) {                                                                 \
    int64_t x = i < batches - (n - 2) ? 1 : a->sizes[i - (batches - (n - 2))];       \
    int64_t y = i < batches - (m - 2) ? 1 : b->sizes[i - (batches - (m - 2))];       \
    if (x != y && x != 1 && y != 1) fail();                                          \
    t->sizes[i] = x == 1 ? y : x;                                                    \
  }
static Impl *matrix_product(const Impl *a, const Impl *b) {
  int64_t n = __scuba_known(a->dim), m = __scuba_known(b->dim);
  if (n == 0 || m == 0) fail();
  if (n < 0 || m < 0 || n > 8 || m > 8) return any_tensor();
  multiplied(a, b);
  int64_t inner = a->sizes[n - 1], other = m == 1 ? b->sizes[0] : b->sizes[m - 2];
  if (inner != other) fail();
  Impl *t = fresh(a->dtype, a->device);
  int64_t batches = (n > m ? n : m) - 2, dim = batches < 0 ? 0 : batches;
  if (n == 1 || m == 1) {
    // The dimensions of the other one but for the one that is summed.
    const Impl *o = n == 1 ? b : a;
    EIGHT(COPY_SIZE)
    dim = (n > m ? n : m) - 1;
    if (n == 1 && m > 1) t->sizes[dim - 1] = b->sizes[m - 1];
    finish(t, dim);
    return t;
  }
  EIGHT(BATCH)
  t->sizes[dim] = a->sizes[n - 2];
  t->sizes[dim + 1] = b->sizes[m - 1];
  finish(t, dim + 2);
  return t;
}
void matmul(Handle *out, const Handle *self, const Handle *other) MODEL("at::_ops::matmul::call(at::Tensor const&, at::Tensor const&)");
void matmul(Handle *out, const Handle *self, const Handle *other) { out->impl = matrix_product(there(self), there(other)); }
// Of a matrix of weights, and a bias for each of its rows (torch.nn.functional.linear).
void linear(Handle *out, const Handle *self, const Handle *weight, const MaybeHandle *bias)
    MODEL("at::_ops::linear::call(at::Tensor const&, at::Tensor const&, std::optional<at::Tensor> const&)");
void linear(Handle *out, const Handle *self, const Handle *weight, const MaybeHandle *bias) {
  const Impl *x = there(self), *w = there(weight);
  int64_t dim = __scuba_known(x->dim), n = __scuba_known(w->dim);
  if (dim < 1 || dim > 8 || n != 2) { out->impl = any_tensor(); return; }
  multiplied(x, w);
  if (x->sizes[dim - 1] != w->sizes[1]) fail();
  if (bias->has && bias->handle.impl) {
    const Impl *b = bias->handle.impl;
    // One of another form may be spread over the result.
    if (__scuba_known(b->dim) != 1 || b->dtype != x->dtype || b->device != x->device) may_refuse();
    else if (b->sizes[0] != w->sizes[0]) may_refuse();
  }
  Impl *t = fresh(x->dtype, x->device);
  const Impl *o = x;
  EIGHT(COPY_SIZE)
  t->sizes[dim - 1] = w->sizes[0];
  finish(t, dim);
  out->impl = t;
}
