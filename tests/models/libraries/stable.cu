// Runs operations of PyTorch's stable ABI on a tensor that is described on standard input, and prints what they give. The same text is compiled
// twice: by g++ with PyTorch's own headers and its library of host code (`tools/real-libraries.py`, with REAL), and for the concrete interpreter,
// where each function runs as its model does (`templates/models/stable.cpp`). A question mark is what a model leaves open.
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <cstdio>
#include <cstring>
#include <optional>

using torch::stable::Tensor;
using Numbers = torch::headeronly::IntHeaderOnlyArrayRef;

static long number() {
  long n = 0;
  if (scanf("%ld", &n) != 1) return 0;
  return n;
}
static char word[64];
static bool is(const char *name) { return strcmp(word, name) == 0; }

struct List {
  int64_t numbers[8];
  size_t count;
  operator Numbers() const { return Numbers(numbers, count); }
};
static List list() {
  List l;
  l.count = number();
  for (size_t i = 0; i < l.count; i++) l.numbers[i] = number();
  return l;
}
static std::optional<c10::ScalarType> perhaps_type() {
  if (number()) return static_cast<c10::ScalarType>(number());
  return std::nullopt;
}
static c10::MemoryFormat format() { return static_cast<c10::MemoryFormat>(number()); }
static std::optional<c10::MemoryFormat> perhaps_format() {
  if (number()) return format();
  return std::nullopt;
}
static std::optional<torch::stable::Device> perhaps_device() {
  if (number()) return torch::stable::Device(c10::DeviceType::CPU);
  return std::nullopt;
}

#ifdef REAL
#include <iostream>
#include <string>
static long bytes_behind(const Tensor &t) {
  int64_t all = 0, offset = 0;
  aoti_torch_get_storage_size(t.get(), &all);
  aoti_torch_get_storage_offset(t.get(), &offset);
  return all - offset * static_cast<int64_t>(t.element_size());
}
// Far from what the library allocates.
static char store[1 << 20];
static bool is_on_first(const Tensor &, long between) { return between > -(1L << 20) && between < 1L << 20; }
static bool is_open(const Tensor &) { return false; }
static Tensor input(c10::ScalarType type, long item, List sizes, List strides, long offset) {
  return torch::stable::from_blob(store + sizeof store / 2 + offset * item, sizes, strides, torch::stable::Device(c10::DeviceType::CPU), type);
}
#else
extern "C" long __scuba_extent(const void *p);
static long bytes_behind(const Tensor &t) { return __scuba_extent(t.data_ptr()); }
// What the models are built on, as far as this program has it in place of the engines (as in `tests/models/tensors/operations.cu`).
static long doubt;
extern "C" long __scuba_known(long n) {
  if (doubt == 0) return n;
  unsigned long mixed = (static_cast<unsigned long>(n) * 0x9e3779b97f4a7c15 ^ doubt) * 0xbf58476d1ce4e5b9;
  return (mixed >> 40) % 3 != 0 ? n : -1;
}
extern "C" void __scuba_axiom(bool holds) { if (!holds) printf("{0}"); }
extern "C" long __scuba_setting(long, long, long usual) { return usual; }
__global__ void last() {}
// What the models keep of a tensor, as a caller gives it (`src/check/counterexample/tensors.rs`).
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
  unsigned char code, bits;
  unsigned short lanes;
  int64_t last_strides[4];
};
static Given *behind(const Tensor &t) { return reinterpret_cast<Given *>(t.get()); }
static bool is_on_first(const Tensor &, long between) { return between > -(1L << 30) && between < 1L << 30; }
// It may be the input's storage, or a copy of it.
static bool is_open(const Tensor &t) { return behind(t)->made && behind(t)->original; }
static Tensor input(c10::ScalarType type, long item, List sizes, List strides, long) {
  Given *g = static_cast<Given *>(operator new(sizeof(Given)));
  g->dtype = static_cast<int8_t>(type);
  g->device = 0;
  g->made = g->detached = false;
  g->dim = sizes.count;
  g->numel = g->rest[sizes.count] = g->lead = 1;
  g->contiguous = true;
  long reach = 1;
  for (int i = static_cast<int>(sizes.count) - 1; i >= 0; i--) {
    int64_t n = sizes.numbers[i];
    g->sizes[i] = n;
    g->strides[i] = strides.numbers[i];
    if (n != 1 && strides.numbers[i] != g->numel) g->contiguous = false;
    g->numel *= n;
    g->rest[i] = g->numel;
    reach += (n - 1) * strides.numbers[i];
    if (sizes.count - i <= 4) g->last[sizes.count - i - 1] = n;
    if (i + 1 < static_cast<int>(sizes.count)) g->lead *= n;
  }
  if (g->numel == 0) g->contiguous = true;
  g->data = operator new(g->numel == 0 ? 0 : reach * item);
  return Tensor(reinterpret_cast<AtenTensorHandle>(g));
}
#endif

static const Tensor *first;

static Tensor done(Tensor &x) {
  namespace ts = torch::stable;
  if (is("empty_like")) return ts::empty_like(x);
  if (is("clone")) return ts::clone(x);
  if (is("contiguous")) return ts::contiguous(x, format());
  if (is("new_empty")) { List s = list(); return ts::new_empty(x, s, perhaps_type()); }
  if (is("new_zeros")) { List s = list(); return ts::new_zeros(x, s, perhaps_type()); }
  if (is("new_empty_on")) { List s = list(); auto t = perhaps_type(); return ts::new_empty(x, s, t, std::nullopt, perhaps_device()); }
  if (is("empty")) {
    List s = list();
    auto t = perhaps_type();
    auto d = perhaps_device();
    return ts::empty(s, t, std::nullopt, d, std::nullopt, perhaps_format());
  }
  if (is("to")) {
    auto t = perhaps_type();
    auto d = perhaps_device();
    bool copy = number();
    return ts::to(x, t, std::nullopt, d, std::nullopt, false, copy, perhaps_format());
  }
  if (is("transpose")) { long a = number(); return ts::transpose(x, a, number()); }
  if (is("select")) { long d = number(); return ts::select(x, d, number()); }
  if (is("narrow")) { long d = number(), from = number(); return ts::narrow(x, d, from, number()); }
  if (is("flatten")) { long from = number(); return ts::flatten(x, from, number()); }
  if (is("unsqueeze")) return ts::unsqueeze(x, number());
  if (is("squeeze")) return ts::squeeze(x, number());
  if (is("view")) return ts::view(x, list());
  if (is("reshape")) return ts::reshape(x, list());
  if (is("zero_")) return ts::zero_(x);
  if (is("fill_")) return ts::fill_(x, 2);
  if (is("copied")) { Tensor y(x), z; z = y; Tensor w(static_cast<Tensor &&>(z)); return w; }
  // A dimension that there may not be.
  if (is("size")) { long n = x.size(number()); printf("(%ld)", n); return x; }
  if (is("stride")) { long n = x.stride(number()); printf("(%ld)", n); return x; }
  if (is("typed")) { printf("(%d)", x.const_data_ptr<float>() == x.data_ptr()); return x; }
  if (is("typed_long")) { printf("(%d)", x.mutable_data_ptr<int64_t>() == x.mutable_data_ptr()); return x; }
  printf("no such operation");
  return x;
}

static void show(const Tensor &t) {
  long dim = t.dim();
  printf("=%d %d %d %d %d %d %ld :", (int)t.scalar_type(), (int)t.is_cpu(), (int)t.is_cuda(), (int)t.get_device_index(), (int)t.get_device(), (int)t.defined(), dim);
  for (long i = 0; i < dim; i++) printf(" %ld", (long)t.size(i));
  printf(" :");
  for (long i = 0; i < dim; i++) printf(" %ld", (long)t.size(i - dim));
  printf(" :");
  for (long i = 0; i < dim; i++) printf(" %ld", (long)t.stride(i));
  printf(" :");
  Numbers sizes = t.sizes(), strides = t.strides();
  for (size_t i = 0; i < sizes.size(); i++) printf(" %ld", (long)sizes[i]);
  printf(" :");
  for (size_t i = 0; i < strides.size(); i++) printf(" %ld", (long)strides[i]);
  printf(" : %ld %d %ld %d", (long)t.numel(), (int)t.is_contiguous(), (long)t.element_size(), (int)t.sizes().equals(first->sizes()));
  // What the C interface says, which has numbers of its own for types and devices.
  int64_t n = -7;
  int32_t type = -7, place = -7;
  bool packed = false;
  aoti_torch_get_numel(t.get(), &n);
  aoti_torch_get_dtype(t.get(), &type);
  aoti_torch_get_device_type(t.get(), &place);
  aoti_torch_is_contiguous(t.get(), &packed);
  printf(" %ld %d %d %d", (long)n, (int)type, (int)place, (int)packed);
  long between = static_cast<char *>(t.data_ptr()) - static_cast<char *>(first->data_ptr());
  // A tensor without elements may have no storage, and so no address of its own.
  if (n == 0 || first->numel() == 0) printf(" - -=");
  else if (is_open(t)) printf(" ? ?=");
  else if (is_on_first(t, between)) printf(" 1 %ld=", between);
  else printf(" 0 %ld=", bytes_behind(t));
}

static void run() {
  auto type = static_cast<c10::ScalarType>(number());
  long item = number();
  List sizes = list(), strides = list();
  Tensor x = input(type, item, sizes, strides, number());
  first = &x;
  long steps = number();
  printf("begin");
  Tensor result = x;
  for (long i = 0; i < steps; i++) {
    if (scanf("%63s", word) != 1) return;
    result = done(result);
  }
  show(result);
}

#ifdef REAL
// A case a line: what it prints stands in the same line.
int main() {
  for (std::string line; std::getline(std::cin, line); puts("")) {
    stdin = fmemopen(line.data(), line.size(), "r");
    try {
      run();
    } catch (const std::exception &) {
      printf("throws");
    }
    fclose(stdin);
  }
  return 0;
}
#else
int main() {
  doubt = number();
  run();
  // A run goes on past what it does not know as long as a launch may follow: one that ends without a word has thrown.
  last<<<1, 1>>>();
  return 0;
}
#endif
