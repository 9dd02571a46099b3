//! Views of memory: spans and their kin that callers give, structures in registers, and classes that own memory of a device.

use super::{Project, Said};
use scuba::finding::Report;

fn checked(source: &str, settings: &str, flags: &[&str]) -> (Report, Said) {
    let p = Project::new();
    p.write("k.cu", source);
    p.write("scuba.toml", settings);
    let mut c = p.command();
    c.args(["check", "-v", "k.cu", "--message-format", "json", "--", "-arch=sm_80"]).args(flags);
    let said = Said::from(c.output().unwrap());
    (serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}")), said)
}

const ENTRY: &str = "[entry]\nfunctions = [\"op_*\"]\n";

/// What a caller gave of the first finding.
fn input(r: &Report, name: &str) -> i64 {
    let w = r.findings[0].witness.as_ref().unwrap();
    let found = w.inputs.iter().find(|i| i.name == name).unwrap_or_else(|| panic!("{name}: {:?}", w.inputs));
    found.value.parse().unwrap()
}

/// Safe, safe only by an assumption, proved, undecided.
fn counts(r: &Report) -> (u32, u32, u32, u32) {
    let s = &r.summary;
    (s.safe, s.safe_assuming, s.proved, s.unknown)
}

const SPAN: &str = "\
#include <HEADER>
using NAMESPACE::span;
__global__ void scale(span<float> x) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i LESS x.size()) x.data()[i] = 2; }
__global__ void first(span<float, 4> x) { if (threadIdx.x LESS 4) x.data()[threadIdx.x] = 0; }
void op_scale(span<float> x) { scale<<<(x.size() + 255) / 256, 256>>>(x); }
void op_first(int, span<float, 4> x) { first<<<1, 32>>>(x); }
";

#[test]
fn a_span_has_the_elements_that_it_says() {
    for (header, namespace, flags) in
        [("span", "std", ["-std=c++20"].as_slice()), ("cuda/std/span", "cuda::std", ["-std=c++17"].as_slice())]
    {
        let source = |less: &str| SPAN.replace("HEADER", header).replace("NAMESPACE", namespace).replace("LESS", less);
        let (r, said) = checked(&source("<"), ENTRY, flags);
        assert_eq!(counts(&r), (2, 2, 0, 0), "{said:?}");
        let why = format!("what `{namespace}::span` means: `x` has the elements that it says");
        assert!(said.err.contains(&why), "{said:?}");
        let (r, said) = checked(&source("<="), ENTRY, flags);
        assert_eq!(counts(&r), (0, 0, 2, 0), "{said:?}");
        for f in &r.findings {
            assert!(f.assumptions.contains(&why), "{f:?}");
        }
    }
}

#[test]
fn spans_are_told_apart_by_their_elements() {
    let source = "\
#include <cuda/std/span>
using cuda::std::span;
__global__ void add(span<double> y, span<const float> x) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < y.size()) y[i] += x[i]; }
void op_add(span<double> y, span<const float> x) { GUARD add<<<(y.size() + 255) / 256, 256>>>(y, x); }
";
    let (r, said) = checked(&source.replace("GUARD", "if (x.size() < y.size()) return;"), ENTRY, &["-std=c++17"]);
    assert_eq!(counts(&r), (2, 2, 0, 0), "{said:?}");
    let (r, said) = checked(&source.replace("GUARD", ""), ENTRY, &["-std=c++17"]);
    assert_eq!(counts(&r), (1, 1, 1, 0), "{said:?}");
    // The witness keeps to what spans mean.
    assert!(input(&r, "extent(x.__data_)") >= 4 * input(&r, "x.__size_"), "{:?}", r.findings[0].witness);
    assert!(input(&r, "extent(y.__data_)") >= 8 * input(&r, "y.__size_"), "{:?}", r.findings[0].witness);
    assert_eq!((r.findings[0].access.array.as_str(), r.findings[0].access.index.as_str()), ("x", "i"));
}

#[test]
fn spans_in_structures_and_of_kernels_alone() {
    let source = "\
#include <cuda/std/span>
struct Args { int n; cuda::std::span<float> x; };
__global__ void of_struct(Args a) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < a.x.size()) a.x[i] = a.n; }
__global__ void alone(cuda::std::span<float> x) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < x.size()) x[i] = 1; }
void op_struct(const Args &a) { of_struct<<<(a.x.size() + 255) / 256, 256>>>(a); }
";
    let (r, said) = checked(source, ENTRY, &["-std=c++17"]);
    assert_eq!((counts(&r).1, counts(&r).3, r.findings.len()), (2, 0, 0), "{said:?}");
}

const MDSPAN: &str = "\
#include <cuda/std/mdspan>
namespace cs = cuda::std;
using mat = cs::mdspan<float, EXTENTS, LAYOUT>;
__global__ void fill(mat m) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r LESS m.extent(0) && c < m.extent(1)) m(r, c) = 1;
}
void op_fill(mat m) {
  fill<<<dim3((m.extent(1) + 15) / 16, (m.extent(0) + 16) / 16), dim3(16, 16)>>>(m);
}
";

#[test]
fn an_mdspan_has_the_elements_of_its_extents() {
    for (extents, layout) in [
        ("cs::dextents<int, 2>", "cs::layout_right"),
        ("cs::dextents<int, 2>", "cs::layout_left"),
        ("cs::extents<int, cs::dynamic_extent, 7>", "cs::layout_right"),
    ] {
        let source = |less: &str| MDSPAN.replace("EXTENTS", extents).replace("LAYOUT", layout).replace("LESS", less);
        let (r, said) = checked(&source("<"), ENTRY, &["-std=c++17"]);
        assert_eq!((r.findings.len(), r.summary.unknown), (0, 0), "{extents}, {layout}: {said:?}");
        let (r, said) = checked(&source("<="), ENTRY, &["-std=c++17"]);
        assert_eq!((r.summary.proved, r.summary.unknown), (1, 0), "{extents}, {layout}: {said:?}");
        assert!(r.findings[0].assumptions.iter().any(|a| a.contains("what `cuda::std::mdspan` means")), "{r:?}");
    }
}

#[test]
fn a_type_of_the_same_name_means_nothing() {
    let source = "\
namespace mine { template <class T, unsigned long N> struct span { T *p; unsigned long n; }; }
__global__ void scale(mine::span<float, 4> x) { if (threadIdx.x < 4) x.p[threadIdx.x] = 2; }
void op_scale(mine::span<float, 4> x) { scale<<<1, 32>>>(x); }
";
    let (r, said) = checked(source, ENTRY, &["-std=c++17"]);
    assert_eq!(counts(&r), (0, 0, 0, 1), "{said:?}");
}

#[test]
fn structures_in_registers_have_members_in_contracts() {
    let source = "\
struct View { float *data; int n; };
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void op_fill(View v) { if (v.n < 1 || v.n > 100000) return; fill<<<(v.n + 255) / 256, 256>>>(v.data, v.n); }
";
    let contract =
        |condition: &str| format!("{ENTRY}[[contract]]\nfunction = \"op_fill\"\nrequires = [\"{condition}\"]\n");
    let (r, said) = checked(source, &contract("elements(v.data) >= v.n"), &[]);
    assert_eq!(counts(&r), (1, 1, 0, 0), "{said:?}");
    let (r, said) = checked(source, &contract("elements(v.data) >= v.n - 1"), &[]);
    assert_eq!(counts(&r), (0, 0, 1, 0), "{said:?}");
    // A caller in the same program owes it.
    let main = "int main() { float *p; cudaMalloc(&p, 40); op_fill({p, SIZE}); return cudaDeviceSynchronize(); }\n";
    for (size, broken) in [("10", 0), ("11", 1)] {
        let (r, said) =
            checked(&format!("{source}{}", main.replace("SIZE", size)), &contract("elements(v.data) >= v.n"), &[]);
        let of_rule =
            r.findings.iter().filter(|f| f.rule.name() == "contract" && format!("{:?}", f.verdict) == "Proved");
        assert_eq!(of_rule.count(), broken, "{said:?}");
    }
}

const OWNERS: &str = "\
#include <cstdlib>
#include <memory>
#include <new>
__global__ void fill(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i LESS n) p[i] = 1.0f; }
struct CudaFree { void operator()(void *p) const { cudaFree(p); } };
std::unique_ptr<float[], CudaFree> make(size_t n) {
  float *p = nullptr;
  cudaMalloc(&p, n * sizeof(float));
  return std::unique_ptr<float[], CudaFree>(p);
}
class Buffer {
 public:
  explicit Buffer(size_t n) : n_(n) {
    if (cudaMalloc(reinterpret_cast<void **>(&p_), n * sizeof(float)) != cudaSuccess) throw std::bad_alloc();
  }
  ~Buffer() { cudaFree(p_); }
  Buffer(const Buffer &) = delete;
  Buffer(Buffer &&o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; }
  float *data() { return p_; }
  size_t size() const { return n_; }
 private:
  float *p_ = nullptr;
  size_t n_;
};
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 24) return 1;
  HOW
  return cudaDeviceSynchronize();
}
";

#[test]
fn owners_of_device_memory_are_followed() {
    for how in [
        "auto a = make(n); fill<<<(n + 256) / 256, 256>>>(a.get(), n);",
        "Buffer b(n); Buffer c = std::move(b); fill<<<(n + 256) / 256, 256>>>(c.data(), (int)c.size());",
        "float *q; cudaMalloc(&q, n * 4); std::shared_ptr<float> d(q, [](float *p) { cudaFree(p); }); fill<<<(n + 256) / 256, 256>>>(d.get(), n);",
    ] {
        for (less, expected) in [("<", (1, 0, 0, 0)), ("<=", (0, 0, 1, 0))] {
            let source = OWNERS.replace("HOW", how).replace("LESS", less);
            let (r, said) = checked(&source, "", &["-std=c++17"]);
            assert_eq!(counts(&r), expected, "{how}: {said:?}");
        }
    }
}

#[test]
fn a_device_vector_has_the_elements_that_it_was_given() {
    let source = "\
#include <thrust/device_vector.h>
#include <cstdlib>
__global__ void scale(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i LESS n) p[i] *= 2; }
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 24) return 1;
  HOW
  return cudaDeviceSynchronize();
}
";
    for (less, how) in [
        (
            "<",
            "thrust::device_vector<float> a(n); scale<<<(n + 256) / 256, 256>>>(thrust::raw_pointer_cast(a.data()), n);",
        ),
        (
            "<=",
            "thrust::device_vector<float> a(n, 1.0f); scale<<<(n + 256) / 256, 256>>>(thrust::raw_pointer_cast(&a[0]), (int)a.size());",
        ),
        ("<=", "thrust::device_vector<float> a; a.resize(n); scale<<<(n + 256) / 256, 256>>>(a.data().get(), n);"),
        (
            "<",
            "thrust::device_vector<float> a(n, 1.0f), b(n), c(n, 2.0f); scale<<<(n + 256) / 256, 256>>>(thrust::raw_pointer_cast(a.data()), n); \
             scale<<<(n + 256) / 256, 256>>>(thrust::raw_pointer_cast(&b[0]), (int)c.size());",
        ),
        (
            "<=",
            "thrust::device_vector<int> first(4, 7); thrust::device_vector<float> a(n, 1.0f), b(n); \
             scale<<<(n + 256) / 256, 256>>>(thrust::raw_pointer_cast(b.data()), n);",
        ),
    ] {
        let (r, said) = checked(&source.replace("HOW", how).replace("LESS", less), "", &["-std=c++17"]);
        // Thrust's own kernel is among them.
        let proved = u32::from(less == "<=");
        assert_eq!((r.summary.proved, r.summary.unknown, r.findings.len()), (proved, 0, proved as usize), "{said:?}");
        assert!(r.summary.safe > 0, "{said:?}");
        assert!(r.findings.iter().all(|f| f.access.array == "p"), "{said:?}");
    }
}

const VECTORS: &str = "\
#include <vector>
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
struct Args { int n; std::vector<float> x; };
void others() { std::vector<float> a; std::vector<double> b; }
static void put(float *d, const float *h, size_t n) { cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice); }
void op_fill(const std::vector<float> &v, std::vector<double> &w, const Args &a) {
  if (v.empty() || v.size() > 100000) return;
  float *d;
  if (cudaMalloc(&d, v.size() * sizeof(float)) != cudaSuccess) return;
  put(d, v.data(), v.size() EXTRA);
  fill<<<(v.size() + 255) / 256, 256>>>(d, (int)v.size());
  cudaMemcpy(w.data(), d, w.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d);
}
";

#[test]
fn a_vector_that_a_caller_gives_has_the_elements_that_it_says() {
    let settings = |more: &str| format!("{ENTRY}{more}");
    // Of `w` nothing says that it is not larger than what is copied.
    let small = "[[contract]]\nfunction = \"op_fill\"\nrequires = [\"w.size() <= v.size()\"]\n";
    let (r, said) = checked(&VECTORS.replace("EXTRA", ""), &settings(small), &["-std=c++17"]);
    assert_eq!((r.summary.unknown, r.findings.len()), (0, 0), "{said:?}");
    let (r, said) = checked(&VECTORS.replace("EXTRA", ""), &settings(""), &["-std=c++17"]);
    assert_eq!((r.summary.unknown, r.findings.len()), (0, 1), "{said:?}");
    assert!(input(&r, "w.size()") > input(&r, "v.size()"), "{:?}", r.findings[0].witness);
    // One element beyond the vector's storage.
    let (r, said) = checked(&VECTORS.replace("EXTRA", "+ 1"), &settings(small), &["-std=c++17"]);
    assert!(r.findings.iter().any(|f| f.access.array == "h"), "{said:?}");
    let why = "what `std::vector` means: `v` has the elements that it says";
    assert!(r.findings.iter().any(|f| f.assumptions.iter().any(|a| a == why)), "{:?}", r.findings);
}
