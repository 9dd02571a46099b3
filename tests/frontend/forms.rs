//! What nvcc takes and clang by itself does not: each source is compiled by nvcc first.

use super::{Project, calls, function, nvcc, side};
use scuba::frontend::Extraction;
use scuba::ir::Side;
use std::process::Command;

/// Both sides of a source that nvcc takes with these flags.
#[track_caller]
fn read(source: &str, flags: &str) -> Extraction {
    let p = Project::new(&[("a.cu", source)]);
    let flags = format!("a.cu -arch=sm_80 {flags}");
    let words = shlex::split(&flags).unwrap();
    let real = Command::new(nvcc()).args(words).args(["-c", "-o", "/dev/null"]).current_dir(p.path()).output().unwrap();
    assert!(real.status.success(), "nvcc itself: {}", String::from_utf8_lossy(&real.stderr));
    let e = p.extract(&flags);
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
    assert_eq!(e.modules.len(), 2);
    e
}

#[test]
fn kernels_that_launch_kernels_are_read_and_what_is_the_units_own_keeps_its_name() {
    let source = "static __device__ int table[4];\n\
                  namespace { __global__ void inner(int *a) { a[threadIdx.x] = table[1]; } }\n\
                  static __global__ void outer(int *a) { inner<<<1, 32>>>(a); }\n\
                  int main() { int v = 3; cudaMemcpyToSymbol(table, &v, 4); outer<<<1, 1>>>(nullptr); }\n";
    let e = read(source, "-rdc=true");
    let device = side(&e, Side::Device);
    let kernels: Vec<&str> = device.functions.iter().filter(|f| f.kernel).map(|f| f.display.as_str()).collect();
    assert_eq!(kernels, ["(anonymous namespace)::inner(int*)", "outer(int*)"]);
    let tables: Vec<_> = device.globals.iter().filter(|g| g.name.contains("table")).collect();
    assert_eq!(tables.len(), 1, "{tables:?}");
    assert!(tables[0].name == "_ZL5table" && tables[0].defined, "{tables:?}");
    assert!(side(&e, Side::Host).globals.iter().any(|g| g.name == "_ZL5table"));
}

#[test]
fn macros_may_have_the_names_of_parameters_in_headers_that_nvcc_does_not_include() {
    let source = "#if X != 1 || N != 4 || defined(GONE)\n#error macros\n#endif\n#include <cstdio>\n\
                  __global__ void k(int *a) { a[threadIdx.x] = F(N); }\nint main() { k<<<1, 1>>>(nullptr); }\n";
    let e = read(source, "-DX=1 -DN=4 '-DF(x)=x*2' -DGONE -UGONE -DCUDA_API_PER_THREAD_DEFAULT_STREAM");
    assert!(e.notes.iter().any(|n| n.contains("macros of the command line")), "{:?}", e.notes);
    let e = read(&source.replace("N != 4", "0"), "-DX=1 -DN=4 '-DF(x)=x*2' -DNDEBUG -include cassert");
    assert!(e.asserts_restored());
    let plain = read("int main() {}\n", "-DSOME=1");
    assert!(plain.notes.is_empty(), "where nothing collides they stay: {:?}", plain.notes);
}

#[test]
fn operands_of_assembly_need_no_commas() {
    let source = "__global__ void k(int *a) {\n  int x = a[0], y, z;\n\
                  asm volatile(\"mov.u32 %0, %2; mov.u32 %1, %tid.x;\" : \"=r\"(y) \"=r\"(z)\n : \"r\"(x) /* b */ \"r\"((x)) : \"memory\");\n\
                  a[threadIdx.x] = y + z;\n}\n";
    let e = read(source, "");
    for what in ["commas", "`%`"] {
        assert!(e.notes.iter().any(|n| n.contains(what)), "{what}: {:?}", e.notes);
    }
}

#[test]
fn brackets_of_launches_may_stand_apart() {
    let source = "template <class T> __global__ void k(T *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }\n\
                  template <int N> void f(int *a) { k<int> << <(N + 31) / 32, 32 >> > (a, N); }\n\
                  int main() { f<3>(nullptr); k<<<dim3(1), dim3(8 >> 1) >> >((float *)nullptr, 8 >> 1); k<<<1, 1>>>((int *)nullptr, 1); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("launch brackets")), "{:?}", e.notes);
    let kernels = side(&e, Side::Device).functions.iter().filter(|f| f.kernel).count();
    assert_eq!(kernels, 2);
}

#[test]
fn the_address_of_a_device_function_is_one_of_an_unknown_function_on_the_host() {
    let source = "typedef float (*op_t)(float);\n\
                  __device__ __forceinline__ float twice(float x) { return 2 * x; }\n\
                  struct Ops { static __device__ float same(float x) { return x; } };\n\
                  __device__ op_t table[] = {twice};\nop_t on_the_host[] = {twice, Ops::same};\n\
                  __global__ void k(float *a, op_t f) { a[threadIdx.x] = f(twice(1)); }\n\
                  int main() { op_t f = twice, h = &Ops::same; k<<<1, 32>>>(nullptr, f); k<<<1, 32>>>(nullptr, on_the_host[1]);\n\
                  k<<<1, 1>>>(nullptr, h); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("unknown host functions")), "{:?}", e.notes);
    let (host, device) = (side(&e, Side::Host), side(&e, Side::Device));
    assert!(function(host, "twice(float)").is_declaration() && !function(device, "twice(float)").is_declaration());
    assert!(calls(device, function(device, "k(float*, float (*)(float))")).iter().any(|c| c.contains("twice")));
}

#[test]
fn what_a_kernel_names_for_the_device_alone_is_not_looked_up_for_the_host() {
    // nvcc's host compiler instantiates no body of a kernel, nor what only that calls.
    let source = "#ifdef __CUDA_ARCH__\ntemplate <class T> __device__ void only(T *p, int i) { p[i] = 0; }\n#endif\n\
                  template <class T> __host__ __device__ void both(T *p) { only(p, 1); }\n\
                  template <class T> __global__ void k(T *p) {\n  auto at = [&](int i) { only(p + i, 0); };\n\
                  #pragma unroll\n  for (int i = 0; i < 2; i++) at(i);\n}\n\
                  __global__ void plain(int *p) { both(p); }\n\
                  int main() {\n  k<<<1, 1>>>((int *)nullptr);\n  plain<<<1, 1>>>(nullptr);\n}\n";
    let e = read(source, "");
    let (host, device) = (side(&e, Side::Host), side(&e, Side::Device));
    assert!(e.notes.iter().any(|n| n.starts_with("Host side: kernel bodies")), "{:?}", e.notes);
    assert!(!e.notes.iter().any(|n| n.starts_with("Device")), "{:?}", e.notes);
    assert!(!function(host, "main").is_declaration());
    for (caller, callee) in [("plain(int*)", "both"), ("both<int>(int*)", "only")] {
        assert!(calls(device, function(device, caller)).iter().any(|c| c.contains(callee)), "{caller}");
    }
}

/// Where a toolkit has NVTX, Thrust marks ranges for a profiler, by a library that it loads when it is first used.
#[test]
fn ranges_for_profilers_are_left_out_of_thrust() {
    let source =
        "#include <thrust/device_vector.h>\nint main() { thrust::device_vector<float> v(8); return v.size() == 8; }\n";
    let p = Project::new(&[("a.cu", source), ("nvtx/nvtx3/nvToolsExt.h", "#error NVTX is read\n")]);
    let e = p.extract("a.cu -arch=sm_80 -std=c++17 -isystem nvtx");
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
}

#[test]
fn typeof_is_a_keyword_in_each_standard() {
    let source = "#define FIELD(mask, value) ((typeof(mask))((value) & (mask)))\n\
                  __global__ void k(unsigned *a) { a[threadIdx.x] = FIELD(7u, a[0]); }\nint main() { k<<<1, 1>>>(nullptr); }\n";
    for standard in ["c++17", "c++20"] {
        assert!(read(source, &format!("-std={standard}")).notes.is_empty());
    }
}

#[test]
fn built_in_variables_may_be_declared_for_the_host() {
    let source = "#ifndef __CUDA_ARCH__\nextern const dim3 blockDim;\nextern const uint3 threadIdx;\n#endif\n\
                  __global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n\
                  int main() { k<<<1, 1>>>(nullptr); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("built-in variables")), "{:?}", e.notes);
}

#[test]
fn bodies_of_kernels_may_differ_by_side() {
    let source = "#ifdef __CUDA_ARCH__\n#define BOTH __host__ __device__\n#else\n#define BOTH\n#endif\n\
                  struct Pair_ { float x, y; };\n\
                  struct Pair : Pair_ { BOTH Pair() {} BOTH Pair(const Pair_ &o) { x = o.x; y = o.y; } };\n\
                  __global__ void k(Pair *a) { __shared__ Pair_ s[4]; s[threadIdx.x].x = 1; a[0] = s[0]; }\n\
                  int main() { k<<<1, 1>>>(nullptr); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("only the device side")), "{:?}", e.notes);
    assert!(!function(side(&e, Side::Device), "k(Pair*)").blocks.is_empty());
}

#[test]
fn specialisations_may_have_other_attributes_than_their_templates() {
    let source = "template <class T> inline __device__ T f(T x, int d = 3) { return x; }\n\
                  template <> inline __host__ __device__ float f(float x, int d) { return x * d; }\n\
                  template <class T> __host__ __device__ T g(T x);\n\
                  template <> __device__ float g<float>(float x) { return x + 1; }\n\
                  struct S { template <class T> T m(T x) { return x; } };\n\
                  template <> __device__ __forceinline__ float S::m<float>(float x) { return __sinf(x); }\n\
                  __global__ void k(float *a) { S s; a[0] = f(a[0]) + g(a[1]) + s.m(a[2]); }\n\
                  int main() { S s; k<<<1, 1>>>(nullptr); return f(1.f) + g(1.f) + s.m(1); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("specialisations")), "{:?}", e.notes);
    let (host, device) = (side(&e, Side::Host), side(&e, Side::Device));
    let called = calls(device, function(device, "k(float*)"));
    for callee in ["f<float>(float, int)", "g<float>(float)", "S::m<float>(float)"] {
        assert!(
            called.iter().any(|c| c == callee) && !function(device, callee).is_declaration(),
            "{callee}: {called:?}"
        );
    }
    assert!(!function(host, "f<float>(float, int)").is_declaration());
}

#[test]
fn pragmas_for_unrolled_loops_may_stand_before_other_statements() {
    let source = "template <int N> __global__ void k(int *a, int n) {\n\
                  #pragma unroll\n  a[0] = 1;\n\
                  #pragma unroll 4\n\n  { a[1] = 2; }\n\
                  #pragma unroll true\n  for (int i = 0; i < N; i++) {\n    a[i] = 3;\n#pragma unroll\n  }\n}\n\
                  int main() { k<4><<<1, 1>>>(nullptr, 4); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.starts_with("Device side: pragmas")), "{:?}", e.notes);
    assert!(!function(side(&e, Side::Device), "k<4>(int*, int)").blocks.is_empty());
}

#[test]
fn functions_may_have_names_that_clang_alone_has_built_in() {
    let source = "static inline unsigned long long __rdtsc() { return 7; }\n\
                  __global__ void k(double *a) { a[0] = __signbit(a[1]); }\n\
                  int main() { k<<<1, 1>>>(nullptr); return __rdtsc(); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("clang knows already")), "{:?}", e.notes);
    let host = side(&e, Side::Host);
    assert!(calls(host, function(host, "main")).iter().any(|c| c.contains("__rdtsc")));
}

#[test]
fn jumps_may_go_past_initialised_variables_of_kernels() {
    let source = "__global__ void k(float *a, int n) {\n  switch (n) {\n\
                  case 1: int x = n + 1; a[x] = 0; break;\n  case 2: float *p = a + 1; *p = 1; break;\n  default: a[0] = 2;\n  }\n}\n\
                  int main() { k<<<1, 1>>>(nullptr, 1); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.starts_with("Device side: initialisers")), "{:?}", e.notes);
}

#[test]
fn numbers_and_arrays_may_be_declared_restrict() {
    let source = "typedef int Word;\n\
                  __device__ int f(const __restrict__ Word a[4], Word __restrict__ n) { return a[n]; }\n\
                  __global__ void k(const int *__restrict__ a, int *b) { b[0] = f(a, 3); }\n\
                  int main() { k<<<1, 1>>>(nullptr, nullptr); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("`__restrict__`")), "{:?}", e.notes);
}

#[test]
fn dimensions_of_shared_arrays_may_have_parentheses() {
    let source = "struct V { int x; __device__ V(int y = 0) : x(y) {} };\n\
                  template <int N> __global__ void k(int *a) { __shared__ V s[4 * (N + 1)]; s[N].x = 1; a[0] = s[N].x; }\n\
                  int main() { k<3><<<1, 1>>>(nullptr); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("without their constructors")), "{:?}", e.notes);
}

#[test]
fn host_templates_may_construct_what_only_the_device_constructs() {
    let source = "template <int N> struct R { __device__ inline R(double d) : delta(d) {} double delta; };\n\
                  template <int N> __global__ void k(R<N> r, double *a) { a[0] = r.delta; }\n\
                  template <int N> void run(double d) { const R<N> r(d); k<N><<<1, 1>>>(r, nullptr); }\n\
                  int main() { run<3>(2); }\n";
    let e = read(source, "");
    assert!(e.notes.iter().any(|n| n.contains("constructors of the device")), "{:?}", e.notes);
    let host = side(&e, Side::Host);
    let constructor = function(host, "R<3>::R(double)");
    assert!(!constructor.is_declaration());
}
