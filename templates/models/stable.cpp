// The functions of PyTorch's stable ABI (PyTorch 2.9 to 2.13, torch/csrc/stable/tensor_struct.h and ops.h; of its C interface
// torch/csrc/inductor/aoti_torch/c/shim.h and torch/csrc/stable/c/shim.h): other names for what aten.cpp, which this is compiled behind, says of tensors.
//
// A torch::stable::Tensor is a std::shared_ptr: its first word is the AtenTensorHandle, which points to a tensor as at::Tensor's word does; nothing
// looks at the second one. A call of the C interface that fails gives a status of which the wrappers make an exception: here it throws at once.

#define STABLE "torch::stable::"
#define STABLE_TENSOR STABLE "Tensor"

// ---- handles ----

void stable_none(Handle *self) MODEL(STABLE_TENSOR "::Tensor()");
void stable_none(Handle *self) { self->impl = nullptr; }
void stable_of(Handle *self, Impl *t) MODEL(STABLE_TENSOR "::Tensor(AtenTensorOpaque*)");
void stable_of(Handle *self, Impl *t) { self->impl = t; }
void stable_copy(Handle *self, const Handle *o) MODEL(STABLE_TENSOR "::Tensor(torch::stable::Tensor const&)");
void stable_copy(Handle *self, const Handle *o) { self->impl = o->impl; }
void stable_move(Handle *self, Handle *o) MODEL(STABLE_TENSOR "::Tensor(torch::stable::Tensor&&)");
void stable_move(Handle *self, Handle *o) { self->impl = o->impl; }
void stable_end(Handle *) MODEL(STABLE_TENSOR "::~Tensor()");
void stable_end(Handle *) {}
Handle *stable_assign(Handle *self, const Handle *o) MODEL(STABLE_TENSOR "::operator=(torch::stable::Tensor const&)");
Handle *stable_assign(Handle *self, const Handle *o) { self->impl = o->impl; return self; }
Handle *stable_assign_moved(Handle *self, Handle *o) MODEL(STABLE_TENSOR "::operator=(torch::stable::Tensor&&)");
Handle *stable_assign_moved(Handle *self, Handle *o) { self->impl = o->impl; return self; }
Impl *stable_get(const Handle *self) MODEL(STABLE_TENSOR "::get() const");
Impl *stable_get(const Handle *self) { return self->impl; }

// ---- what is asked of a tensor, by its methods and by the C interface ----

struct StableDevice { int8_t type; int index; };
#define ASKED(id, Type, method, c_type, c_name, value)                      \
  Type stable_##id(const Handle *self) MODEL(STABLE_TENSOR "::" method "() const"); \
  Type stable_##id(const Handle *self) {                                    \
    const Impl *t = there(self);                                            \
    return value;                                                           \
  }                                                                         \
  int c_##id(const Impl *t, c_type *out) MODEL(c_name);                     \
  int c_##id(const Impl *t, c_type *out) {                                  \
    if (!t) fail();                                                         \
    *out = value;                                                           \
    return 0;                                                               \
  }
static int64_t elements_of(const Impl *t) { relate(t); return elements(t); }
ASKED(dim, int64_t, "dim", int64_t, "aoti_torch_get_dim", t->dim)
ASKED(numel, int64_t, "numel", int64_t, "aoti_torch_get_numel", elements_of(t))
ASKED(contiguous, bool, "is_contiguous", bool, "aoti_torch_is_contiguous", t->contiguous)
ASKED(scalar_type, int8_t, "scalar_type", int, "aoti_torch_get_dtype", t->dtype)
ASKED(data, void *, "data_ptr", void *, "aoti_torch_get_data_ptr", data_of(t))
ASKED(mutable_data, void *, "mutable_data_ptr", void *, "torch_get_mutable_data_ptr", data_of(t))
ASKED(const_data, void *, "const_data_ptr", void *, "torch_get_const_data_ptr", data_of(t))
ASKED(device_index, int, "get_device_index", int, "aoti_torch_get_device_index", t->device == 1 ? 0 : -1)

#define OF_TENSOR(id, Type, method, value)                                  \
  Type stable_##id(const Handle *self) MODEL(STABLE_TENSOR "::" method "() const"); \
  Type stable_##id(const Handle *self) {                                    \
    const Impl *t = there(self);                                            \
    return value;                                                           \
  }
static const int64_t *strides_in(const Impl *t) { strides_of(t); return t->strides; }
OF_TENSOR(sizes, Array, "sizes", (Array{t->sizes, static_cast<size_t>(t->dim)}))
OF_TENSOR(strides, Array, "strides", (Array{strides_in(t), static_cast<size_t>(t->dim)}))
OF_TENSOR(device, StableDevice, "device", (StableDevice{t->device, t->device == 1 ? 0 : -1}))
OF_TENSOR(get_device, int8_t, "get_device", t->device == 1 ? 0 : -1)
OF_TENSOR(is_cuda, bool, "is_cuda", t->device == 1)
OF_TENSOR(is_cpu, bool, "is_cpu", t->device == 0)
OF_TENSOR(element_size, size_t, "element_size", static_cast<size_t>(item_size(t->dtype)))
bool stable_defined(const Handle *self) MODEL(STABLE_TENSOR "::defined() const");
bool stable_defined(const Handle *self) { return self->impl != nullptr; }
int64_t stable_size(const Handle *self, int64_t d) MODEL(STABLE_TENSOR "::size(long) const");
int64_t stable_size(const Handle *self, int64_t d) { return size_at(there(self), d); }
int64_t stable_stride(const Handle *self, int64_t d) MODEL(STABLE_TENSOR "::stride(long) const");
int64_t stable_stride(const Handle *self, int64_t d) { const Impl *t = there(self); strides_of(t); return t->strides[wrapped(t, d)]; }

#define OF_HANDLE(id, c_name, Type, value)              \
  int c_##id(const Impl *t, Type *out) MODEL(c_name);   \
  int c_##id(const Impl *t, Type *out) {                \
    if (!t) fail();                                     \
    *out = value;                                       \
    return 0;                                           \
  }
OF_HANDLE(sizes, "aoti_torch_get_sizes", const int64_t *, t->sizes)
OF_HANDLE(strides, "aoti_torch_get_strides", const int64_t *, strides_in(t))
OF_HANDLE(device_type, "aoti_torch_get_device_type", int, t->device)
int c_size(const Impl *t, int64_t d, int64_t *out) MODEL("aoti_torch_get_size");
int c_size(const Impl *t, int64_t d, int64_t *out) { if (!t) fail(); *out = size_at(t, d); return 0; }
int c_stride(const Impl *t, int64_t d, int64_t *out) MODEL("aoti_torch_get_stride");
int c_stride(const Impl *t, int64_t d, int64_t *out) { if (!t) fail(); strides_of(t); *out = t->strides[wrapped(t, d)]; return 0; }
// c10::DeviceType and c10::ScalarType.
#define NUMBER(id, n)        \
  int id() MODEL(#id);       \
  int id() { return n; }
NUMBER(aoti_torch_device_type_cpu, 0) NUMBER(aoti_torch_device_type_cuda, 1)
NUMBER(aoti_torch_dtype_uint8, Byte) NUMBER(aoti_torch_dtype_int8, Char) NUMBER(aoti_torch_dtype_int16, Short)
NUMBER(aoti_torch_dtype_int32, Int) NUMBER(aoti_torch_dtype_int64, Long) NUMBER(aoti_torch_dtype_float16, Half)
NUMBER(aoti_torch_dtype_float32, Float) NUMBER(aoti_torch_dtype_float64, Double) NUMBER(aoti_torch_dtype_bool, Bool)
NUMBER(aoti_torch_dtype_bfloat16, BFloat16)

// ---- checks, devices and streams ----

FAILS(stable_check_message, "torch::headeronly::detail::stdTorchCheckMsgImpl*")
FAILS(stable_call_failed, "torch::stable::detail::throw_exception(*")
int c_cuda_check(int status, const char *, const char *, unsigned, bool, char **message) MODEL("torch_c10_cuda_check_msg");
int c_cuda_check(int status, const char *, const char *, unsigned, bool, char **message) {
  if (status != 0) fail();
  *message = nullptr;
  return 0;
}
// One device is like another here, and a stream like the default one, whose handle is 0.
int c_stream(int, void **out) MODEL("aoti_torch_get_current_cuda_stream");
int c_stream(int, void **out) { *out = nullptr; return 0; }
NOTHING(stable_guard, STABLE "accelerator::DeviceGuard::*DeviceGuard(*")
NOTHING(stable_guard_index, STABLE "accelerator::DeviceGuard::set_index(*")
struct SharedStream { void *of, *counts; };
void stable_stream(SharedStream *out) MODEL("! " STABLE "accelerator::getCurrentStream(*");
void stable_stream(SharedStream *out) { out->of = out->counts = nullptr; }
NOTHING(stable_stream_end, STABLE "accelerator::Stream::~Stream()")
int64_t stable_stream_id(const SharedStream *) MODEL(STABLE "accelerator::Stream::id() const");
int64_t stable_stream_id(const SharedStream *) { return 0; }
void *stable_stream_handle(const SharedStream *) MODEL(STABLE "accelerator::Stream::nativeHandle() const");
void *stable_stream_handle(const SharedStream *) { return nullptr; }

// ---- what makes tensors (torch/csrc/stable/ops.h) ----

struct MaybeStableDevice { StableDevice value; bool has; };
INLINE int8_t type_or(const MaybeByte &type, int8_t other) { return type.has ? type.value : other; }
INLINE int8_t place_or(const MaybeStableDevice &device, int8_t other) { return device.has ? device.value.type : other; }
INLINE bool lies_by_strides(const MaybeByte &layout) { return !layout.has || layout.value == 0; }
static Impl *stable_made(const int64_t *sizes, size_t n, int8_t type, int8_t device, const MaybeByte &layout, int format = 0) {
  return lies_by_strides(layout) ? of_sizes(sizes, n, type, device, format) : any_tensor();
}

void stable_empty_like(Handle *out, const Handle *self) MODEL("! [16] " STABLE "empty_like(torch::stable::Tensor const&)");
void stable_empty_like(Handle *out, const Handle *self) { const Impl *t = there(self); out->impl = like(t, t->dtype, t->device); }
void stable_clone(Handle *out, const Handle *self) MODEL("! [16] " STABLE "clone(torch::stable::Tensor const&)");
void stable_clone(Handle *out, const Handle *self) { const Impl *t = there(self); out->impl = like(t, t->dtype, t->device, Preserve, t); }
void stable_contiguous_of(Handle *out, const Handle *self, int8_t format) MODEL("! [16] " STABLE "contiguous(torch::stable::Tensor const&, c10::MemoryFormat)");
void stable_contiguous_of(Handle *out, const Handle *self, int8_t format) { out->impl = contiguous_in(there(self), format); }
#define STABLE_NEW(id, name)                                                                                                     \
  void id(Handle *out, const Handle *self, const int64_t *sizes, size_t n, MaybeByte type) MODEL("! [16] " name ", std::optional<c10::ScalarType>)"); \
  void id(Handle *out, const Handle *self, const int64_t *sizes, size_t n, MaybeByte type) {                                   \
    const Impl *t = there(self);                                                                                               \
    out->impl = of_sizes(sizes, n, type_or(type, t->dtype), t->device);                                                        \
  }                                                                                                                            \
  void id##_with(Handle *out, const Handle *self, const int64_t *sizes, size_t n, MaybeByte type, MaybeByte layout, MaybeStableDevice device, MaybeByte) \
      MODEL("! [16] " name ", std::optional<c10::ScalarType>, std::optional<c10::Layout>*");                                  \
  void id##_with(Handle *out, const Handle *self, const int64_t *sizes, size_t n, MaybeByte type, MaybeByte layout, MaybeStableDevice device, MaybeByte) { \
    const Impl *t = there(self);                                                                                               \
    out->impl = stable_made(sizes, n, type_or(type, t->dtype), place_or(device, t->device), layout);                          \
  }
STABLE_NEW(stable_new_empty, STABLE "new_empty(torch::stable::Tensor const&, c10::HeaderOnlyArrayRef<long>")
STABLE_NEW(stable_new_zeros, STABLE "new_zeros(torch::stable::Tensor const&, c10::HeaderOnlyArrayRef<long>")
void stable_empty(Handle *out, const int64_t *sizes, size_t n, MaybeByte type, MaybeByte layout, MaybeStableDevice device, MaybeByte, MaybeByte format)
    MODEL("! [16] " STABLE "empty(c10::HeaderOnlyArrayRef<long>, std::optional<c10::ScalarType>*");
void stable_empty(Handle *out, const int64_t *sizes, size_t n, MaybeByte type, MaybeByte layout, MaybeStableDevice device, MaybeByte, MaybeByte format) {
  int in = format.has ? format.value : Contiguous;
  if (in == Preserve) fail();
  int8_t of = type.has ? type.value : default_type();
  out->impl = stable_made(sizes, n, of, place_or(device, 0), layout, in);
}
void stable_to(Handle *out, const Handle *self, MaybeByte type, MaybeByte layout, MaybeStableDevice device, MaybeByte, bool, bool copy, MaybeByte format)
    MODEL("! [16] " STABLE "to(torch::stable::Tensor const&, std::optional<c10::ScalarType>*");
void stable_to(Handle *out, const Handle *self, MaybeByte type, MaybeByte layout, MaybeStableDevice device, MaybeByte, bool, bool copy, MaybeByte format) {
  Impl *t = there(self);
  if (!lies_by_strides(layout)) { out->impl = any_tensor(); return; }
  out->impl = converted(t, type_or(type, t->dtype), place_or(device, t->device), copy, format_of(format));
}

// ---- views ----

void stable_transpose(Handle *out, const Handle *self, int64_t a, int64_t b) MODEL("! [16] " STABLE "transpose(torch::stable::Tensor*");
void stable_transpose(Handle *out, const Handle *self, int64_t a, int64_t b) { out->impl = swapped(there(self), a, b); }
void stable_select(Handle *out, const Handle *self, int64_t d, int64_t index) MODEL("! [16] " STABLE "select(torch::stable::Tensor*");
void stable_select(Handle *out, const Handle *self, int64_t d, int64_t index) { out->impl = selected(there(self), d, index); }
void stable_narrow(Handle *out, const Handle *self, int64_t d, int64_t start, int64_t length) MODEL("! [16] " STABLE "narrow(torch::stable::Tensor*");
void stable_narrow(Handle *out, const Handle *self, int64_t d, int64_t start, int64_t length) { out->impl = narrowed(there(self), d, start, length); }
void stable_flatten(Handle *out, const Handle *self, int64_t from, int64_t to) MODEL("! [16] " STABLE "flatten(torch::stable::Tensor*");
void stable_flatten(Handle *out, const Handle *self, int64_t from, int64_t to) { flatten(out, self, from, to); }
void stable_unsqueeze(Handle *out, const Handle *self, int64_t d) MODEL("! [16] " STABLE "unsqueeze(torch::stable::Tensor*");
void stable_unsqueeze(Handle *out, const Handle *self, int64_t d) { unsqueeze_view(out, self, d); }
void stable_squeeze(Handle *out, const Handle *self, int64_t d) MODEL("! [16] " STABLE "squeeze(torch::stable::Tensor*");
void stable_squeeze(Handle *out, const Handle *self, int64_t d) { squeeze_one(out, self, d); }
void stable_view(Handle *out, const Handle *self, const int64_t *sizes, size_t n) MODEL("! [16] " STABLE "view(torch::stable::Tensor*");
void stable_view(Handle *out, const Handle *self, const int64_t *sizes, size_t n) { out->impl = shaped(there(self), sizes, n, false); }
void stable_reshape(Handle *out, const Handle *self, const int64_t *sizes, size_t n) MODEL("! [16] " STABLE "reshape(torch::stable::Tensor*");
void stable_reshape(Handle *out, const Handle *self, const int64_t *sizes, size_t n) { out->impl = shaped(there(self), sizes, n, true); }

// ---- what writes a tensor, and what is not modelled ----

static void stable_written(Handle *out, const Handle *self) {
  out->impl = there(self);
  __scuba_written(data_of(out->impl));
}
void stable_zero(Handle *out, const Handle *self) MODEL("! [16] " STABLE "zero_(*");
void stable_zero(Handle *out, const Handle *self) { usual_type(there(self)); stable_written(out, self); }
void stable_fill(Handle *out, const Handle *self, double value) MODEL("! [16] " STABLE "fill_(*");
void stable_fill(Handle *out, const Handle *self, double value) {
  Scalar number;
  number.tag = 0;
  number.v.d = value;
  fits(&number, there(self)->dtype);
  stable_written(out, self);
}
void stable_copy_in(Handle *out, const Handle *self, const Handle *source) MODEL("! [16] " STABLE "copy_(*");
void stable_copy_in(Handle *out, const Handle *self, const Handle *source) {
  goes_into(there(self), there(source));
  stable_written(out, self);
}
// Of these each makes a new tensor. What may give one that shares memory with another is followed into the C interface, of which nothing is known.
#define STABLE_OPERATION(id, name)                     \
  void id(Handle *out) MODEL("! [16] " STABLE name "*"); \
  void id(Handle *out) { out->impl = any_tensor(); }
STABLE_OPERATION(stable_pad, "pad(") STABLE_OPERATION(stable_amax, "amax(") STABLE_OPERATION(stable_matmul, "matmul(")
STABLE_OPERATION(stable_sum, "sum(") STABLE_OPERATION(stable_subtract, "subtract(") STABLE_OPERATION(stable_full, "full(")

bool same_array(const Array *a, const int64_t *b, size_t m) MODEL("c10::HeaderOnlyArrayRef<long>::equals(c10::HeaderOnlyArrayRef<long>) const");
bool same_array(const Array *a, const int64_t *b, size_t m) { return equal_sizes(a->p, a->n, b, m); }
bool same_sizes(const Array *a, const int64_t *b, size_t m) MODEL("c10::ArrayRef<long>::equals(c10::ArrayRef<long>) const");
bool same_sizes(const Array *a, const int64_t *b, size_t m) { return equal_sizes(a->p, a->n, b, m); }
