// Runs one operation of ATen on tensors that are described on standard input, and prints what it gives. Compiles with ATen's own headers and with
// ours (`tests/support/include`). What is called here runs as its model does (`templates/models/aten.cpp`); a question mark is what a model leaves open.
#include <torch/extension.h>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

using at::Tensor;

extern "C" long __scuba_extent(const void *p);
// What the models are built on, as far as this program has it in place of the engines: what they take for granted is printed, and where asked for
// they are told that a number is not known.
static long doubt;
// The same number is known each time or never: what a path says of one stays so.
extern "C" long __scuba_known(long n) {
  if (doubt == 0) return n;
  unsigned long mixed = (static_cast<unsigned long>(n) * 0x9e3779b97f4a7c15 ^ doubt) * 0xbf58476d1ce4e5b9;
  return (mixed >> 40) % 3 != 0 ? n : -1;
}
extern "C" void __scuba_axiom(bool holds) { printf("{%d}", holds); }
// The type of numbers where none is given (`torch.set_default_dtype`) is the only setting that is asked for here.
static long default_type;
extern "C" long __scuba_setting(long, long, long) { return default_type; }
// A run goes on past what it does not know as long as a launch may follow: one that ends without a word has thrown.
__global__ void last() {}

static long number() {
  long n = 0;
  scanf("%ld", &n);
  return n;
}
static char word[64];
static bool is(const char *name) { return strcmp(word, name) == 0; }

struct List {
  int64_t numbers[8];
  size_t count;
  operator at::IntArrayRef() const { return at::IntArrayRef(numbers, count); }
};
static List list() {
  List l;
  l.count = number();
  for (size_t i = 0; i < l.count; i++) l.numbers[i] = number();
  return l;
}
static std::optional<int64_t> perhaps() {
  if (number()) return number();
  return std::nullopt;
}
static c10::ScalarType type() { return static_cast<c10::ScalarType>(number()); }
static std::optional<c10::ScalarType> perhaps_type() {
  if (number()) return type();
  return std::nullopt;
}
static c10::MemoryFormat format() { return static_cast<c10::MemoryFormat>(number()); }
static std::optional<c10::MemoryFormat> perhaps_format() {
  if (number()) return format();
  return std::nullopt;
}
static at::Scalar scalar() {
  long kind = number(), n = number();
  if (kind == 0) return at::Scalar(n / 4.0);
  if (kind == 3) return at::Scalar(c10::complex<double>(n, 1));
  if (kind == 4) return at::Scalar(n != 0);
  return at::Scalar(n);
}
static at::TensorOptions options() {
  at::TensorOptions o;
  if (number()) o = o.dtype(type());
  if (number()) o = o.device(number() ? c10::DeviceType::CUDA : c10::DeviceType::CPU);
  return o;
}

// What the models keep of a tensor: its elements' address comes first.
struct Given {
  void *data;
  int64_t dim, numel, lead;
  int8_t dtype, device;
  bool contiguous, made, packed;
  int64_t sizes[64], strides[64], last[4], rest[64];
  void *start;
  bool loose, by_sizes, detached;
  void *original;
  const void *self;
};
static Given *behind(const Tensor &t) { return *reinterpret_cast<Given *const *>(&t); }

// A tensor as a caller of an operator gives it (`check/counterexample/tensors.rs`).
static void make_given(const Tensor &t, List sizes, List strides) {
  Given *from = behind(t), *g = static_cast<Given *>(operator new(sizeof(Given)));
  *reinterpret_cast<Given **>(const_cast<Tensor *>(&t)) = g;
  g->data = from->data;
  g->dtype = from->dtype;
  g->device = from->device;
  g->made = g->detached = false;
  g->dim = sizes.count;
  g->numel = g->rest[sizes.count] = g->lead = 1;
  g->contiguous = true;
  for (int i = static_cast<int>(sizes.count) - 1; i >= 0; i--) {
    int64_t n = sizes.numbers[i];
    g->sizes[i] = n;
    g->strides[i] = strides.numbers[i];
    if (n != 1 && strides.numbers[i] != g->numel) g->contiguous = false;
    g->numel *= n;
    g->rest[i] = g->numel;
    if (sizes.count - i <= 4) g->last[sizes.count - i - 1] = n;
    if (i + 1 < static_cast<int>(sizes.count)) g->lead *= n;
  }
  if (g->numel == 0) g->contiguous = true;
}

static Tensor input(bool given) {
  at::TensorOptions o;
  o = o.dtype(type());
  o = o.device(number() ? c10::DeviceType::CUDA : c10::DeviceType::CPU);
  List sizes = list(), strides = list();
  int64_t offset = number(), elements = number();
  Tensor base = at::empty(at::IntArrayRef(&elements, 1), o);
  if (given) {
    make_given(base, sizes, strides);
    return base;
  }
  return base.as_strided(sizes, strides, offset);
}

static const Tensor *inputs;
static long count_of_inputs;

// By its name, whose arguments come behind it.
static Tensor made() {
  if (is("empty")) { List s = list(); auto o = options(); return at::empty(s, o, perhaps_format()); }
  if (is("zeros")) { List s = list(); return at::zeros(s, options()); }
  if (is("ones")) { List s = list(); return at::ones(s, options()); }
  if (is("rand")) { List s = list(); return at::rand(s, options()); }
  if (is("randn")) { List s = list(); return at::randn(s, options()); }
  if (is("full")) { List s = list(); auto v = scalar(); return at::full(s, v, options()); }
  if (is("arange")) { auto to = scalar(); return at::arange(to, options()); }
  if (is("arange_from")) { auto from = scalar(), to = scalar(); return at::arange(from, to, options()); }
  if (is("arange_step")) { auto from = scalar(), to = scalar(), step = scalar(); return at::arange(from, to, step, options()); }
  printf("no such operation");
  return at::empty(list());
}
static Tensor copied(const Tensor &x) {
  if (is("empty_like")) { auto o = options(); return at::empty_like(x, o, perhaps_format()); }
  if (is("zeros_like")) { auto o = options(); return at::zeros_like(x, o, perhaps_format()); }
  if (is("ones_like")) { auto o = options(); return at::ones_like(x, o, perhaps_format()); }
  if (is("full_like")) { auto v = scalar(); auto o = options(); return at::full_like(x, v, o, perhaps_format()); }
  if (is("new_empty")) { List s = list(); return x.new_empty(s, options()); }
  if (is("new_zeros")) { List s = list(); return x.new_zeros(s, options()); }
  if (is("new_ones")) { List s = list(); return x.new_ones(s, options()); }
  if (is("contiguous")) return x.contiguous(format());
  if (is("clone")) return x.clone(perhaps_format());
  if (is("detach")) return x.detach();
  if (is("cpu")) return x.cpu();
  if (is("cuda")) return x.cuda();
  if (is("to_type")) { auto t = type(); bool copy = number(); return x.to(t, false, copy, perhaps_format()); }
  if (is("to_options")) {
    auto t = perhaps_type();
    std::optional<c10::Device> device;
    if (number()) device = c10::Device(number() ? c10::DeviceType::CUDA : c10::DeviceType::CPU, 0);
    bool copy = number();
    return at::_ops::to_dtype_layout::call(x, t, std::nullopt, device, std::nullopt, false, copy, perhaps_format());
  }
  return made();
}
static Tensor viewed(const Tensor &x) {
  if (is("view")) return x.view(list());
  if (is("reshape")) return x.reshape(list());
  if (is("flatten")) { long from = number(); return x.flatten(from, number()); }
  if (is("permute")) return x.permute(list());
  if (is("expand")) return x.expand(list());
  if (is("transpose")) { long a = number(); return x.transpose(a, number()); }
  if (is("t")) return x.t();
  if (is("select")) { long d = number(); return x.select(d, number()); }
  if (is("index")) return x[number()];
  if (is("narrow")) { long d = number(), from = number(); return x.narrow(d, from, number()); }
  if (is("slice")) { long d = number(); auto from = perhaps(), to = perhaps(); return x.slice(d, from, to, number()); }
  if (is("unsqueeze")) return x.unsqueeze(number());
  if (is("squeeze")) return x.squeeze();
  if (is("squeeze_one")) return x.squeeze(number());
  if (is("as_strided")) { List s = list(), t = list(); return x.as_strided(s, t, perhaps()); }
  return copied(x);
}
// One of two results.
static Tensor one_of(const std::tuple<Tensor, Tensor> &both) { return number() ? std::get<1>(both) : std::get<0>(both); }
static std::optional<Tensor> perhaps_tensor(long i) {
  if (i < count_of_inputs) return inputs[i];
  return std::nullopt;
}
static Tensor reduced(const Tensor &x) {
#define REDUCED(op) if (is(#op)) return at::_ops::op::call(x);
  REDUCED(max) REDUCED(min) REDUCED(any) REDUCED(all) REDUCED(nonzero)
#define TYPED(op) if (is(#op)) return at::_ops::op::call(x, perhaps_type());
  TYPED(sum) TYPED(prod) TYPED(mean)
#define OVER_SOME(op)                                                             \
  if (is(#op)) {                                                                  \
    if (!number()) { bool keep = number(); return at::_ops::op::call(x, std::nullopt, keep, perhaps_type()); } \
    List dims = list();                                                           \
    bool keep = number();                                                         \
    return at::_ops::op::call(x, at::IntArrayRef(dims), keep, perhaps_type());    \
  }
  OVER_SOME(sum_dim_IntList) OVER_SOME(mean_dim)
  if (is("prod_dim_int")) { long d = number(); bool keep = number(); return at::_ops::prod_dim_int::call(x, d, keep, perhaps_type()); }
#define ONE_DIMENSION(op) if (is(#op)) { long d = number(); return at::_ops::op::call(x, d, number()); }
  ONE_DIMENSION(any_dim) ONE_DIMENSION(all_dim) ONE_DIMENSION(argsort)
#define BOTH(op) if (is(#op)) { long d = number(); bool keep = number(); return one_of(at::_ops::op::call(x, d, keep)); }
  BOTH(max_dim) BOTH(min_dim) BOTH(sort)
  if (is("sort_stable")) { long d = number(); return one_of(at::_ops::sort_stable::call(x, true, d, false)); }
  if (is("topk")) { long k = number(), d = number(); return one_of(x.topk(k, d)); }
  if (is("amax")) { List dims = list(); return at::_ops::amax::call(x, dims, number()); }
  if (is("amin")) { List dims = list(); return at::_ops::amin::call(x, dims, number()); }
  if (is("argmax")) { auto d = perhaps(); return at::_ops::argmax::call(x, d, number()); }
  if (is("argmin")) { auto d = perhaps(); return at::_ops::argmin::call(x, d, number()); }
  if (is("flip")) return at::_ops::flip::call(x, list());
#define PRODUCT(op) if (is(#op)) return at::_ops::op::call(x, inputs[1]);
  PRODUCT(matmul) PRODUCT(mm) PRODUCT(bmm) PRODUCT(masked_select)
  if (is("zero_")) return at::_ops::zero_::call(const_cast<Tensor &>(x));
  if (is("fill_")) return at::_ops::fill__Scalar::call(const_cast<Tensor &>(x), scalar());
  if (is("copy_")) return at::_ops::copy_::call(const_cast<Tensor &>(x), inputs[1], false);
  if (is("linear")) return at::_ops::linear::call(x, inputs[1], perhaps_tensor(2));
  if (is("index_select")) return at::_ops::index_select::call(x, number(), inputs[1]);
  if (is("where_self")) return at::_ops::where_self::call(x, inputs[1], inputs[2]);
  return viewed(x);
}
static Tensor computed(const Tensor &x) {
#define EACH(op) if (is(#op)) return at::_ops::op::call(x);
  EACH(abs) EACH(neg) EACH(sign) EACH(square) EACH(exp) EACH(log) EACH(log2) EACH(sqrt) EACH(rsqrt) EACH(reciprocal) EACH(sin) EACH(cos)
  EACH(tanh) EACH(sigmoid) EACH(relu) EACH(silu) EACH(floor) EACH(ceil) EACH(round) EACH(trunc)
  if (is("gelu")) return at::_ops::gelu::call(x, "none");
  if (is("bernoulli")) return at::_ops::bernoulli::call(x, std::nullopt);
  if (is("clamp")) { std::optional<at::Scalar> a = scalar(); std::optional<at::Scalar> b = scalar(); return at::_ops::clamp::call(x, a, b); }
  if (is("clamp_min")) return at::_ops::clamp_min::call(x, scalar());
  if (is("clamp_max")) return at::_ops::clamp_max::call(x, scalar());
  if (is("add_Scalar")) return at::_ops::add_Scalar::call(x, scalar(), at::Scalar(1));
  if (is("sub_Scalar")) return at::_ops::sub_Scalar::call(x, scalar(), at::Scalar(1));
  if (is("mul_Scalar")) return at::_ops::mul_Scalar::call(x, scalar());
  if (is("div_Scalar")) return at::_ops::div_Scalar::call(x, scalar());
  if (is("pow_Tensor_Scalar")) return at::_ops::pow_Tensor_Scalar::call(x, scalar());
#define COMPARED(op) if (is(#op)) return at::_ops::op##_Scalar::call(x, scalar());
  COMPARED(lt) COMPARED(le) COMPARED(gt) COMPARED(ge) COMPARED(eq) COMPARED(ne)
  if (is("add_Tensor")) return at::_ops::add_Tensor::call(x, inputs[1], at::Scalar(1));
  if (is("sub_Tensor")) return at::_ops::sub_Tensor::call(x, inputs[1], at::Scalar(1));
  if (is("mul_Tensor")) return at::_ops::mul_Tensor::call(x, inputs[1]);
  if (is("div_Tensor")) return at::_ops::div_Tensor::call(x, inputs[1]);
  if (is("cumsum")) { long d = number(); return at::_ops::cumsum::call(x, d, perhaps_type()); }
  if (is("cumprod")) { long d = number(); return at::_ops::cumprod::call(x, d, perhaps_type()); }
  if (is("stack")) return at::_ops::stack::call(at::TensorList(inputs, count_of_inputs), number());
  if (is("cat")) return at::_ops::cat::call(at::ITensorListRef(at::TensorList(inputs, count_of_inputs)), number());
  return reduced(x);
}

// What the interface says of a tensor, and where its elements are.
static void show(const Tensor &t) {
  long dim = t.dim();
  printf("=%d %d %ld :", (int)t.scalar_type(), (int)t.is_cuda(), dim);
  for (long i = 0; i < dim; i++) printf(" %ld", (long)t.size(i));
  printf(" :");
  for (long i = 0; i < dim; i++) printf(" %ld", (long)t.stride(i));
  printf(" :");
  for (long i = 0; i < dim; i++) printf(" %ld", (long)t.size(i - dim));
  printf(" : %ld %ld %d %d %d", (long)t.numel(), (long)t.nbytes(), (int)t.is_contiguous(), (int)t.is_contiguous(c10::MemoryFormat::ChannelsLast),
         (int)t.is_contiguous(c10::MemoryFormat::ChannelsLast3d));
  char *data = static_cast<char *>(behind(t)->data);
  long shares = -1, from = 0;
  for (long i = 0; i < count_of_inputs; i++) {
    long between = data - static_cast<char *>(behind(inputs[i])->data);
    if (between > -(1L << 30) && between < 1L << 30) { shares = i; from = between; break; }
  }
  // It may be an input's storage, or a copy of it.
  if (behind(t)->made && behind(t)->original) {
    printf(" ? ? %ld %d=", __scuba_extent(data), (int)(count_of_inputs > 0 && t.is_same(inputs[0])));
    return;
  }
  printf(" %ld %ld %ld %d=", shares, from, __scuba_extent(data), (int)(count_of_inputs > 0 && t.is_same(inputs[0])));
}

int main() {
  long doubted = number(), given = number();
  default_type = number();
  count_of_inputs = number();
  std::vector<Tensor> all;
  all.reserve(4);
  for (long i = 0; i < count_of_inputs; i++) all.push_back(input(given));
  inputs = all.data();
  long steps = number();
  doubt = doubted;
  printf("begin");
  scanf("%63s", word);
  Tensor result = count_of_inputs > 0 ? computed(inputs[0]) : made();
  if (steps > 1) {
    scanf("%63s", word);
    result = computed(result);
  }
  if (steps > 2) {
    scanf("%63s", word);
    result = computed(result);
  }
  show(result);
  last<<<1, 1>>>();
  return 0;
}
