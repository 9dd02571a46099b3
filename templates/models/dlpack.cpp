// Tensors of DLPack (dlpack/dlpack.h 1.2) as nanobind (nanobind/ndarray.h, up to 3.1) and TVM-FFI (apache-tvm-ffi 0.1, tvm/ffi/container/tensor.h) give
// them to a function. Both engines run a function named `scuba.argument CLASS` on each argument of that class before they run the function that is
// called; the argument's first word then points to the tensor that the caller has. It is compiled behind aten.cpp, whose tensor this is.
//
// Frameworks give a `byte_offset` of 0 (dlpack.h, at `data`). `strides` of one dimension or more are not null (since DLPack 1.2; both libraries fill
// them in for tensors of earlier versions: `ndarray_import`, `Tensor::FromDLPack`).

extern "C" {
// The tensor that a caller gave into which the pointer leads; null where there is none.
void *__scuba_given(const void *p);
// Whether a number in these bytes of it was asked for: nothing needs to be said of others.
bool __scuba_asked(const void *p, size_t bytes);
}

struct DlDevice { int type, id; };
struct DlType { unsigned char code, bits; unsigned short lanes; };
struct DlTensor {
  void *data;
  DlDevice device;
  int ndim;
  DlType type;
  const int64_t *shape, *strides;
  unsigned long byte_offset;
};

#define ARGUMENT(name) __attribute__((used)) __asm__("scuba.argument " name)

// Bytes of so many elements: those of less than a byte lie packed (dlpack.h, GetDataSize).
static size_t bytes_of(const Impl *t, int64_t n) {
  int64_t bits = __scuba_known(t->bits), lanes = __scuba_known(t->lanes);
  if (bits > 0 && lanes > 0 && bits * lanes % 8 == 0) return times(bits * lanes / 8, n);
  return (static_cast<size_t>(times(times(t->bits, t->lanes), n)) + 7) / 8;
}

// The memory of a given tensor holds so many elements. Lanes that are not known are one at least.
static void holds(const Impl *t, int64_t n) {
  int64_t bits = __scuba_known(t->bits);
  if (bits > 0 && bits % 8 == 0 && __scuba_known(t->lanes) < 0) {
    __scuba_axiom(__scuba_extent(t->data) >= times(bits / 8, n));
    __scuba_axiom(__scuba_extent(t->data) == times(times(bits / 8, t->lanes), n));
  } else {
    __scuba_axiom(__scuba_extent(t->data) == bytes_of(t, n));
  }
}

// How long the memory of a given tensor is, where so much is known of it on this path.
void dl_laid_out(const Impl *t) ARGUMENT("scuba::laid_out");
#define LAST_STRIDE(k) if (dim > k) __scuba_axiom(t->last_strides[k] == t->strides[dim - 1 - k]);
void dl_laid_out(const Impl *t) {
  bool from_last = __scuba_asked(t->last_strides, sizeof t->last_strides);
  if (from_last || __scuba_asked(t->strides, sizeof t->strides)) strides_of(t);
  else relate(t);
  int64_t dim = __scuba_known(t->dim);
  if (dim < 0) __scuba_axiom(t->dim != 1 || t->lead == 1);
  if (from_last) { LAST_STRIDE(0) LAST_STRIDE(1) }
  if (__scuba_known(t->contiguous) == 1) {
    holds(t, elements(t));
    return;
  }
  if (dim < 0 || dim > 5) {
    __scuba_axiom(__scuba_extent(t->data) >= 0);
    return;
  }
  if (elements(t) == 0) __scuba_axiom(__scuba_extent(t->data) == 0);
  else holds(t, 1 + last_element(t, dim));
}

static void fill(DlTensor *d, const Impl *t) {
  d->data = t->data;
  d->device.type = t->device + 1;  // kDLCPU is 1, kDLCUDA 2
  d->device.id = 0;                // one device is like another here
  d->ndim = t->dim;
  d->type.code = t->code;
  d->type.bits = t->bits;
  d->type.lanes = t->lanes;
  d->shape = t->sizes;
  d->strides = t->strides;
  d->byte_offset = 0;
}

// ---- nanobind ----

struct Ndarray {
  const Impl *handle;  // nanobind's own object: nothing but whether there is one is looked at
  DlTensor tensor;
};

// The order of Fortran, as `ndarray_import` decides it of an array of more than one element.
#define AHEAD(i)                                                      \
  if (dim > i) {                                                      \
    lies = lies & ((t->sizes[i] == 1) | (t->strides[i] == ahead));    \
    ahead = times(ahead, t->sizes[i]);                                \
  }
static bool in_order_of_fortran(const Impl *t, int64_t dim) {
  bool lies = true;
  int64_t ahead = 1;
  EIGHT(AHEAD)
  return lies | (elements(t) <= 1);
}
static bool has_order(const Impl *t, long order) {
  if (order < 0) return true;
  if (order == 'C') return t->contiguous;
  int64_t dim = __scuba_known(t->dim);
  bool fortran = dim < 0 ? static_cast<bool>(__scuba_any(0, 1)) : in_order_of_fortran(t, dim);
  return order == 'F' ? fortran : t->contiguous | fortran;
}

// What an argument's type requires (-1: nothing) and nanobind therefore refuses or converts. What it converts is a tensor like any other.
#define REQUIRE_SIZE(i) if (s##i >= 0 && t->sizes[i] != s##i) fail();
void dl_ndarray(Ndarray *self, long ndim, long device, long code, long bits, long order, long s0, long s1, long s2, long s3, long s4, long s5, long s6,
                long s7) ARGUMENT("nanobind::ndarray");
void dl_ndarray(Ndarray *self, long ndim, long device, long code, long bits, long order, long s0, long s1, long s2, long s3, long s4, long s5, long s6,
                long s7) {
  const Impl *t = self->handle;
  if (ndim >= 0 && t->dim != ndim) fail();
  if (device >= 0 && t->device + 1 != device) fail();
  if (code >= 0 && (t->code != code || t->bits != bits || t->lanes != 1)) fail();
  EIGHT(REQUIRE_SIZE)
  if (!has_order(t, order)) fail();
  dl_laid_out(t);
  // An array in order has no gaps.
  if (order >= 0) holds(t, elements(t));
  fill(&self->tensor, t);
}

// The tensor that a caller gave, by where its sizes are; null for any other one.
static const Impl *with_sizes(const int64_t *shape) {
  const Impl *t = static_cast<const Impl *>(__scuba_given(shape));
  return t && shape == t->sizes ? t : nullptr;
}
#define FACTOR_OF(i) if (known > i) all *= shape[i];
static int64_t product_of(const int64_t *shape, int64_t n) {
  const Impl *t = with_sizes(shape);
  if (t && n == t->dim) {
    relate(t);
    return elements(t);
  }
  int64_t all = 1, known = __scuba_known(n);
  if (known >= 0 && known <= 8) {
    EIGHT(FACTOR_OF)
    return all;
  }
  for (int64_t i = 0; i < n; i++) all *= shape[i];
  return all;
}
size_t nd_size(const Ndarray *self) MODEL("nanobind::ndarray<*>::size() const");
size_t nd_size(const Ndarray *self) { return self->handle ? product_of(self->tensor.shape, self->tensor.ndim) : 0; }
NOTHING(nd_dec_ref, "nanobind::detail::ndarray_dec_ref(*")
const DlTensor *nd_inc_ref(const Impl *t) MODEL("nanobind::detail::ndarray_inc_ref(*");
const DlTensor *nd_inc_ref(const Impl *t) {
  if (!t) return nullptr;
  DlTensor *d = static_cast<DlTensor *>(operator new(sizeof(DlTensor)));
  fill(d, t);
  return d;
}

// An array that the function makes of memory of its own (nanobind 3, `ndarray_create_args`).
struct CreateArgs {
  void *data;
  const size_t *shape;
  const int64_t *strides;
  void *owner;
  unsigned long byte_offset;
  unsigned ndim, flags;
  int device_type, device_id;
  DlType type;
  char order;
};
#define MADE_SIZE(i) if (dim > i) t->sizes[i] = from->shape[i];
#define MADE_STRIDE(i) if (dim > i) t->strides[i] = from->strides[i];
const Impl *nd_create(void *, const CreateArgs *from) MODEL("nanobind::detail::ndarray_create(*nanobind::detail::ndarray_create_args const*)");
const Impl *nd_create(void *, const CreateArgs *from) {
  Impl *t = fresh(Undefined, (from->device_type ? from->device_type : 1) - 1);
  int64_t dim = __scuba_known(from->ndim);
  if (dim < 0 || dim > 8) {
    anything(t);
    t->dim = from->ndim;
  } else {
    EIGHT(MADE_SIZE)
    t->numel = pack(t, dim);
    if (from->strides) { EIGHT(MADE_STRIDE) }
  }
  t->code = from->type.code;
  t->bits = from->type.bits;
  t->lanes = from->type.lanes;
  t->data = t->start = static_cast<char *>(from->data) + from->byte_offset;
  return t;
}
// Objects of Python, whose references are not counted. What a capsule calls, when nobody refers to it any more, it calls after the function.
struct PyHandle { void *object; };
void nd_capsule(PyHandle *self) MODEL("! nanobind::capsule::capsule(*");
void nd_capsule(PyHandle *self) { self->object = operator new(16); }
NOTHING(nb_object_end, "nanobind::object::~object()")
// Exceptions of the library up to nanobind 2: nobody but who catches one looks into it.
NOTHING(nb_exception, "nanobind::builtin_exception::builtin_exception(nanobind::exception_type, char const*)")
NOTHING(nb_exception_end, "nanobind::builtin_exception::~builtin_exception()")
NOTHING(nb_capsule_end, "nanobind::capsule::~capsule()")
const PyHandle *nb_inc_ref(const PyHandle *self) MODEL("nanobind::handle::inc_ref() const &");
const PyHandle *nb_inc_ref(const PyHandle *self) { return self; }
const PyHandle *nb_dec_ref(const PyHandle *self) MODEL("nanobind::handle::dec_ref() const &");
const PyHandle *nb_dec_ref(const PyHandle *self) { return self; }

// ---- TVM-FFI ----

void dl_tensor(DlTensor *self) ARGUMENT("DLTensor");
void dl_tensor(DlTensor *self) {
  const Impl *t = static_cast<const Impl *>(self->data);
  fill(self, t);
  // Without dimensions there may be no strides, as the caller's framework has it. Code that uses the classes does not ask for the pointer.
  if (t->dim == 0 && __scuba_setting(0, 1, 0)) self->strides = nullptr;
}
void dl_view(DlTensor *self) ARGUMENT("tvm::ffi::TensorView");
void dl_view(DlTensor *self) { fill(self, static_cast<const Impl *>(self->data)); }

// TVMFFIObject (tvm/ffi/c_api.h): strong references in the lower half of the first word. The caller keeps some.
struct TensorObj {
  unsigned long references;
  int type_index;
  unsigned padding;
  void *deleter;
  DlTensor tensor;
};
struct TensorRef { void *object; };
static TensorObj *tensor_object() {
  TensorObj *o = static_cast<TensorObj *>(operator new(sizeof(TensorObj)));
  o->references = (1UL << 32) + (1UL << 30);
  o->type_index = 70;  // kTVMFFITensor
  o->padding = 0;
  o->deleter = nullptr;
  return o;
}
void dl_object(TensorRef *self) ARGUMENT("tvm::ffi::Tensor");
void dl_object(TensorRef *self) {
  TensorObj *o = tensor_object();
  fill(&o->tensor, static_cast<const Impl *>(self->object));
  self->object = o;
}

// What a check that fails asks for its message, and what throws it (tvm/ffi/error.h).
struct ByteArray { const char *data; size_t size; };
static const ByteArray NO_TEXT = {"", 0};
const ByteArray *tvm_backtrace(const char *, int, const char *, int) MODEL("TVMFFIBacktrace");
const ByteArray *tvm_backtrace(const char *, int, const char *, int) { return &NO_TEXT; }
FAILS(tvm_error, "tvm::ffi::detail::ErrorBuilder::ErrorBuilder(*")
FAILS(tvm_check, "tvm::ffi::detail::LogCheckFormat*")

struct ShapeView { const int64_t *data; size_t size; };
int64_t tvm_product(const ShapeView *self) MODEL("tvm::ffi::ShapeView::Product() const");
int64_t tvm_product(const ShapeView *self) { return product_of(self->data, self->size); }

static int64_t dl_size(const DlTensor *d, int64_t i) {
  const Impl *t = with_sizes(d->shape);
  if (t && d->ndim == t->dim) return size_at(t, i);
  int64_t at = i < 0 ? d->ndim + i : i;
  if (at < 0 || at >= d->ndim) fail();
  return d->shape[at];
}
int64_t tvm_size_of_view(const DlTensor *self, int64_t i) MODEL("tvm::ffi::TensorView::size(long) const");
int64_t tvm_size_of_view(const DlTensor *self, int64_t i) { return dl_size(self, i); }
int64_t tvm_size(const TensorRef *self, int64_t i) MODEL("tvm::ffi::Tensor::size(long) const");
int64_t tvm_size(const TensorRef *self, int64_t i) { return dl_size(&static_cast<const TensorObj *>(self->object)->tensor, i); }

static int64_t dl_stride(const DlTensor *d, int64_t i) {
  const Impl *t = with_sizes(d->shape);
  if (t && d->ndim == t->dim && d->strides == t->strides) {
    int64_t at = wrapped(t, i);
    // What these two are to the others, a launch says, when the dimensions are known.
    if (i < 0 && i >= -2 && __scuba_known(t->dim) < 0) return t->last_strides[-1 - i];
    return t->strides[at];
  }
  int64_t at = i < 0 ? d->ndim + i : i;
  if (at < 0 || at >= d->ndim) fail();
  return d->strides[at];
}
int64_t tvm_stride_of_view(const DlTensor *self, int64_t i) MODEL("tvm::ffi::TensorView::stride(long) const");
int64_t tvm_stride_of_view(const DlTensor *self, int64_t i) { return dl_stride(self, i); }
int64_t tvm_stride(const TensorRef *self, int64_t i) MODEL("tvm::ffi::Tensor::stride(long) const");
int64_t tvm_stride(const TensorRef *self, int64_t i) { return dl_stride(&static_cast<const TensorObj *>(self->object)->tensor, i); }

bool tvm_contiguous(const DlTensor *d) MODEL("tvm::ffi::IsContiguous(DLTensor const&)");
bool tvm_contiguous(const DlTensor *d) {
  const Impl *t = with_sizes(d->shape);
  if (t && d->ndim == t->dim && (__scuba_known(d->ndim) == 0 || d->strides == t->strides)) return t->contiguous;
  if (!d->strides) return true;
  for (int i = 0; i < d->ndim; i++)
    if (d->shape[i] == 0) return true;
  int64_t next = 1;
  for (int i = d->ndim; i-- > 0;) {
    if (d->shape[i] == 1) continue;
    if (d->strides[i] != next) return false;
    next *= d->shape[i];
  }
  return true;
}

// The stream of the caller's framework is like the default one, whose handle is 0 (tvm/ffi/extra/c_env_api.h).
void *tvm_stream(int, int) MODEL("TVMFFIEnvGetStream");
void *tvm_stream(int, int) { return nullptr; }
// A tensor like the prototype, of the caller's framework, with memory of its own.
#define OWN_SIZE(i)                    \
  if (dim > i) {                       \
    if (like->shape[i] < 0) fail();    \
    t->sizes[i] = like->shape[i];      \
  }
int tvm_alloc(const DlTensor *like, void **out) MODEL("TVMFFIEnvTensorAlloc");
int tvm_alloc(const DlTensor *like, void **out) {
  Impl *t = fresh(Undefined, like->device.type - 1);
  int64_t dim = __scuba_known(like->ndim);
  const Impl *o = dim < 0 ? with_sizes(like->shape) : nullptr;
  t->code = like->type.code;
  t->bits = like->type.bits;
  t->lanes = like->type.lanes;
  if (o && like->ndim == o->dim) {
    // The sizes of a tensor that was given, however many these are.
    t->dim = o->dim;
    t->packed = true;
    EIGHT(COPY_SIZE)
    EIGHT(ANY_STRIDE)
    same_from_the_end(t, o);
    t->numel = o->numel;
    t->data = t->start = memory(t, bytes_of(t, t->numel), 0);
  } else if (dim < 0 || dim > 8) {
    anything(t);
    t->dim = like->ndim;
  } else {
    EIGHT(OWN_SIZE)
    t->numel = pack(t, dim);
    t->data = t->start = memory(t, bytes_of(t, t->numel), 0);
  }
  TensorObj *object = tensor_object();
  fill(&object->tensor, t);
  *out = object;
  return 0;
}
