//! Classes of the user's own that own memory of a device: what they keep to is known of objects that callers give.

use super::{Project, Said};
use scuba::finding::Report;

const BUFFER: &str = "\
#include <memory>
#include <stdexcept>
template <class T> class Buffer {
  T *p_ = nullptr;
  size_t n_ = 0;
public:
  Buffer() = default;
  explicit Buffer(size_t n) : n_(n) { if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error(\"no memory\"); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  Buffer(Buffer &&o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; o.n_ = 0; }
  ~Buffer() { cudaFree(p_); }
  void resize(size_t n) {
    if (n > n_) {
      cudaFree(p_);
      p_ = nullptr;
      if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error(\"no memory\");
    }
    n_ = n;
  }
  T *data() const { return p_; }
  size_t size() const { return n_; }
  // MORE
};
__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
void op_scale(Buffer<float> &x) { if (x.size()) scale<<<(x.size() + 255) / 256, 256>>>(x.data(), (int)x.size()); }
void op_beyond(const Buffer<float> &x) { scale<<<(x.size() + 256) / 256, 256>>>(x.data(), (int)x.size() + 1); }
void op_make(int n) { if (n > 0) { Buffer<float> a(n), b; a.resize(2 * n); Buffer<float> c(std::move(a)); op_scale(c); } }
";

fn checked(source: &str) -> (Report, Said) {
    let p = Project::new();
    p.write("k.cu", source);
    p.write("scuba.toml", "[entry]\nfunctions = [\"op_*\"]\n");
    let mut c = p.command();
    c.args(["check", "-v", "k.cu", "--message-format", "json"]);
    let said = Said::from(c.output().unwrap());
    (serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}")), said)
}

/// Whether something is assumed of the class.
fn is_known(said: &Said) -> bool {
    said.err.contains("preserve") || said.out.contains("preserve")
}

#[test]
fn what_constructors_establish_and_functions_keep_holds_of_what_callers_give() {
    let (r, said) = checked(BUFFER);
    assert!(is_known(&said), "{said:?}");
    let why =
        "`elements(p_) >= n_` (the invariants that the constructors and functions of `Buffer<float>` preserve unless ";
    assert_eq!((r.summary.proved, r.findings.len()), (1, 1), "{said:?}");
    assert!(r.findings[0].assumptions.iter().any(|a| a.starts_with(why)), "{:?}", r.findings[0].assumptions);
    assert_eq!(r.findings[0].rule.name(), "oob-global");
    // Without the function that goes beyond it nothing is left open, and nothing is wrong.
    let (r, said) = checked(&BUFFER.replace("(int)x.size() + 1", "(int)x.size()"));
    assert_eq!((r.summary.unknown, r.summary.safe_assuming, r.findings.len()), (0, 1, 0), "{said:?}");
}

#[test]
fn nothing_is_known_of_a_class_that_does_not_keep_to_it() {
    let used = |more: &str, call: &str| {
        BUFFER.replace("// MORE", more) + &format!("void op_use(Buffer<float> &x) {{ {call} }}\n")
    };
    for (source, known) in [
        (used("void release() { cudaFree(p_); p_ = nullptr; n_ = 0; }", "x.release();"), true),
        (used("void release() { cudaFree(p_); p_ = nullptr; }", "x.release();"), false),
        (used("void drop() { cudaFree(p_); }", "x.drop();"), false),
        (used("void set(size_t n) { n_ = n; }", "x.set(5);"), false),
        (used("void clear() { n_ = 0; }", "x.clear();"), true),
        // Whoever has its address may change it.
        (used("T **address() { return &p_; }", "x.address();"), false),
        (used("T **operator&() { return &p_; }", "&x;"), false),
        (used("size_t &count() { return n_; }", "x.count();"), false),
        (BUFFER.replace("template <class T> class Buffer {", "template <class T> class Buffer { public:"), false),
        (BUFFER.replace("template <class T> class Buffer {", "template <class T> struct Buffer { private:"), true),
        (BUFFER.replace("template <class T> class Buffer {", "template <class T> struct Buffer {"), false),
        (BUFFER.replace(": n_(n) { if (cudaMalloc(&p_, n", ": n_(n) { if (cudaMalloc(&p_, (n - 1)"), false),
        (BUFFER.replace("if (n > n_) {", "if (n > 2 * n_) {"), false),
        // Both objects hold it, and one may free it: the number of elements is right all the same.
        (BUFFER.replace("o.p_ = nullptr; o.n_ = 0;", ""), true),
        (BUFFER.replace("o.p_ = nullptr; o.n_ = 0;", "o.p_ = nullptr;"), false),
    ] {
        let (_, said) = checked(&source);
        assert_eq!(is_known(&said), known, "{source}{said:?}");
    }
}

#[test]
fn smart_pointers_in_a_class_are_its_pointers() {
    let source = BUFFER
        .replace("  T *p_ = nullptr;\n", "  struct Free { void operator()(T *p) const { cudaFree(p); } };\n  static T *made(size_t n) { T *p = nullptr; if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::runtime_error(\"no memory\"); return p; }\n  std::unique_ptr<T, Free> p_;\n")
        .replace(": n_(n) { if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error(\"no memory\"); }", ": p_(made(n)), n_(n) {}")
        .replace(": p_(o.p_), n_(o.n_) { o.p_ = nullptr; o.n_ = 0; }", ": p_(std::move(o.p_)), n_(o.n_) { o.n_ = 0; }")
        .replace("  ~Buffer() { cudaFree(p_); }\n", "")
        .replace("      cudaFree(p_);\n      p_ = nullptr;\n      if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error(\"no memory\");\n", "      p_.reset(made(n));\n")
        .replace("return p_; }", "return p_.get(); }")
        .replace("(int)x.size() + 1", "(int)x.size()");
    let (r, said) = checked(&source);
    assert!(is_known(&said), "{source}{said:?}");
    assert_eq!((r.summary.unknown, r.findings.len()), (0, 0), "{said:?}");
}

/// A class whose members only functions of its base read: LLVM shows an address.
const HELD: &str = "\
template <class T> struct Held { T value; };
template <class T> const T &get(const Held<T> &h) { return h.value; }
struct Bits { unsigned low : 4, high : 28; };
struct Given : Held<MEMBER> { ~Given(); };
__global__ void fill(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }
extern \"C\" int op_fill(Given given, int n) {
  int m = get<MEMBER>(given)READ;
  if (n < 1 || n > 1000 || m < 1 || MOST) return 1;
  float *y;
  cudaMalloc(&y, 4 * n);
  fill<<<(m + 127) / 128, 128>>>(y, m);
  return 0;
}
";

#[test]
fn members_that_only_functions_of_a_class_read_are_inputs() {
    let of = |member: &str, read: &str, most: &str| {
        checked(&HELD.replace("MEMBER", member).replace("READ", read).replace("MOST", most)).0
    };
    let r = of("int", "", "m > 1000");
    assert_eq!((r.summary.proved, r.findings.len()), (1, 1), "{:?}", r.undecided);
    let inputs = &r.findings[0].witness.as_ref().unwrap().inputs;
    assert!(inputs.iter().any(|i| i.name == "given.value"), "{inputs:?}");
    assert_eq!(of("int", "", "m > n").summary.safe, 1);
    // Parts of a byte have no name: what is read of them is any number.
    let r = of("Bits", ".high", "m > 1000");
    assert_eq!((r.summary.safe, r.summary.proved), (0, 0), "{:?}", r.findings);
    assert_eq!(of("Bits", ".high", "m > n").summary.safe, 1);
}
