//! What clang is told: the same macros, includes and architecture as nvcc; asserts; one side that fails.

use super::{ExtractOptions, Project, calls, function, nvcc, options, side};
use scuba::ir::{Side, TypeKind, space};
use std::process::Command;

const KERNEL: &str = "__global__ void k(int *p) { p[threadIdx.x] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n";

fn arch(flags: &str) -> (String, Vec<String>) {
    let e = Project::new(&[("a.cu", KERNEL)]).extract(&format!("a.cu {flags}"));
    (side(&e, Side::Device).arch.clone(), e.notes.clone())
}

#[test]
fn the_architecture_is_read_in_every_spelling() {
    for flags in [
        "-arch=sm_80",
        "-arch sm_80",
        "--gpu-architecture=compute_80",
        "-gencode arch=compute_80,code=sm_80",
        "-gencode=arch=compute_80,code=[sm_80,compute_80]",
        "--generate-code arch=compute_80,code=sm_80",
    ] {
        assert_eq!(arch(flags), ("sm_80".into(), vec![]), "{flags}");
    }
    assert_eq!(arch("").0, "sm_75", "nvcc 13's default");
}

#[test]
fn of_several_architectures_the_lowest_is_analysed_and_said() {
    let (arch, notes) = arch("-gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80");
    assert_eq!(arch, "sm_80");
    assert_eq!(notes, ["sm_80 is analysed; the command compiles for sm_80, sm_90"]);
}

#[test]
fn an_architecture_that_clang_does_not_know_is_replaced_by_the_nearest_below() {
    let (arch, notes) = arch("-arch=sm_119");
    assert_eq!(arch, "sm_110");
    assert_eq!(notes, ["sm_110 is analysed; the command compiles for sm_119"]);
}

/// Conditions that hold under nvcc must hold under clang as well.
#[test]
fn macros_are_those_of_nvcc() {
    let source = r#"
#include "mine.h"
#include <cassert>
static_assert(__NVCC__ == 1 && __CUDACC__ == 1 && __CUDACC_VER_MAJOR__ == 13, "");
static_assert(__CUDACC_EXTENDED_LAMBDA__ == 1 && __CUDACC_RELAXED_CONSTEXPR__ == 1 && __CUDACC_RDC__ == 1, "");
static_assert(__CUDA_API_VER_MAJOR__ == 13 && __CUDACC_DEVICE_ATOMIC_BUILTINS__ == 1, "");
constexpr int arches[] = {__CUDA_ARCH_LIST__};
static_assert(arches[0] == 800 && arches[1] == 900 && sizeof arches == 2 * sizeof(int), "");
static_assert(A == 3 && B == 1 && MINE == 5 && C(4) == 5, "");
static_assert(__GNUC__ >= 9 && __cplusplus == 201703L, "");
static_assert(HOST == 2, "");
#ifdef GONE
#error undefined again on the command line
#endif
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error default stream
#endif
#ifndef PRE
#error pre-include
#endif
#ifdef __CUDA_ARCH__
static_assert(__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900, "");
#endif
int main() {}
"#;
    let p = Project::new(&[("a.cu", source), ("inc dir/mine.h", "#define MINE 5\n"), ("pre.h", "#define PRE 1\n")]);
    let flags = "a.cu -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -rdc=true -DA=3 -D B \
                 '-DC(x)=(x+1)' -DGONE -UGONE '-Iinc dir' -include pre.h --extended-lambda --expt-relaxed-constexpr \
                 --default-stream per-thread -Xcompiler -DHOST=2,-Wall,-fPIC,-fopenmp -O3 --use_fast_math";
    let words = shlex::split(flags).unwrap();
    let real =
        Command::new(nvcc()).args(&words).args(["-c", "-o", "/dev/null"]).current_dir(p.path()).output().unwrap();
    assert!(real.status.success(), "nvcc itself: {}", String::from_utf8_lossy(&real.stderr));
    let e = p.extract(flags);
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
    assert_eq!(e.modules.len(), 2);
    assert!(e.frontend.starts_with("clang 22."), "{}", e.frontend);
}

/// As headers of CUDA 11.8 have it (`<cuda/barrier>`): nvcc's own headers include `<new>` where they are read for the device.
#[test]
fn placement_new_of_device_code_needs_no_header() {
    let source = "struct S {\n  int v;\n  __device__ S(int x) : v(x) {}\n};\n__global__ void k(S *p) {\n\
        #ifdef __CUDA_ARCH__\n  new (p + threadIdx.x) S(3);\n#endif\n}\nint main() { k<<<1, 1>>>(nullptr); }\n";
    let p = Project::new(&[("a.cu", source)]);
    let real = Command::new(nvcc()).args(["-c", "a.cu", "-o", "/dev/null"]).current_dir(p.path()).output().unwrap();
    assert!(real.status.success(), "nvcc itself: {}", String::from_utf8_lossy(&real.stderr));
    let e = p.extract("a.cu");
    assert!(e.modules.len() == 2 && e.not_analysed.is_empty(), "{:?}", e.not_analysed);
}

#[test]
fn dependencies_are_the_files_read() {
    let p = Project::new(&[("a.cu", "#include \"d/x.h\"\nint main() {}\n"), ("d/x.h", "")]);
    let e = p.extract("a.cu");
    let root = p.path();
    assert_eq!(e.dependencies[0], root.join("a.cu"));
    assert!(e.dependencies.contains(&root.join("d/x.h")));
    assert!(e.dependencies.iter().any(|d| d.ends_with("cuda_runtime.h")));
    assert!(e.dependencies.iter().all(|d| d.is_file()), "only files that are there afterwards: {:?}", e.dependencies);
}

/// cuRAND is a wheel of its own: `pip install nvidia-cuda-nvcc` brings a compiler that needs none, and clang includes a header of it.
#[test]
fn a_toolkit_without_curand_is_enough() {
    use std::os::unix::fs::symlink;
    let p = Project::new(&[("a.cu", KERNEL), ("cu13/bin/nvcc.profile", "")]);
    let (whole, part) = (nvcc().parent().unwrap().parent().unwrap().to_owned(), p.path().join("cu13"));
    std::fs::copy(whole.join("bin/nvcc.profile"), part.join("bin/nvcc.profile")).unwrap();
    symlink(whole.join("nvvm"), part.join("nvvm")).unwrap();
    symlink(nvcc(), part.join("bin/nvcc")).unwrap();
    std::fs::create_dir(part.join("include")).unwrap();
    for entry in std::fs::read_dir(whole.join("include")).unwrap().map(Result::unwrap) {
        if !entry.file_name().to_string_lossy().starts_with("curand") {
            symlink(entry.path(), part.join("include").join(entry.file_name())).unwrap();
        }
    }
    let mut unit = p.unit("a.cu");
    unit.nvcc = Some(part.join("bin/nvcc"));
    let kept = tempfile::tempdir().unwrap();
    // The second time with a precompiled header, which has been made of the empty one.
    for headers in [None, Some(kept.path().to_owned()), Some(kept.path().to_owned()), Some(kept.path().to_owned())] {
        let e = scuba::frontend::extract(&unit, &ExtractOptions { headers, ..options() }).unwrap();
        assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
        assert!(e.dependencies.iter().all(|d| d.is_file()), "{:?}", e.dependencies);
        function(side(&e, Side::Device), "k(int*)");
    }
    let precompiled = std::fs::read_dir(kept.path()).unwrap().map(|e| e.unwrap().path().join("header.pch"));
    assert!(precompiled.into_iter().any(|h| h.is_file()));
}

#[test]
fn headers_are_told_from_the_users_own_files() {
    let p = Project::new(&[
        (
            "a.cu",
            "#include <vector>\n#include \"own.h\"\n#include <lib.h>\nint main() { std::vector<int> v(3); return own() + lib() + v[1]; }\n",
        ),
        ("own.h", "inline int own() { return 1; }\n"),
        ("third/lib.h", "inline int lib() { return 2; }\n"),
    ]);
    let e = p.extract("a.cu -isystem third");
    let host = side(&e, Side::Host);
    let system = |end: &str| host.files.iter().filter(|f| f.path.ends_with(end)).map(|f| f.system).collect::<Vec<_>>();
    assert_eq!(system("/a.cu"), [false]);
    assert_eq!(system("/own.h"), [false]);
    assert_eq!(system("/third/lib.h"), [true]);
    assert_eq!(system("/stl_vector.h"), [true]);
}

#[test]
fn asserts_are_kept_where_ndebug_drops_them() {
    let source = "#include <cassert>\nint main(int n, char **) { assert(n > 3); return n; }\n";
    let p = Project::new(&[("a.cu", source)]);
    for flags in ["a.cu -DNDEBUG", "a.cu -D NDEBUG=1", "a.cu -Xcompiler -DNDEBUG"] {
        let e = p.extract(flags);
        assert!(e.asserts_restored(), "{flags}");
        let host = side(&e, Side::Host);
        assert!(calls(host, function(host, "main")).contains(&"__assert_fail".to_owned()), "{flags}");
    }
    assert!(!p.extract("a.cu").asserts_restored());
    assert!(!p.extract("a.cu -DNDEBUG -UNDEBUG").asserts_restored(), "the command itself keeps them");
}

#[test]
fn where_asserts_do_not_compile_the_unit_is_read_as_given() {
    let source = "#include <cassert>\nint main() {\n#ifndef NDEBUG\n  int n = old_debug_code();\n#endif\n}\n";
    let e = Project::new(&[("a.cu", source)]).extract("a.cu -DNDEBUG");
    assert!(!e.asserts_restored());
    assert_eq!(e.modules.len(), 2, "{:?}", e.not_analysed);
    assert_eq!(
        e.notes,
        ["Device", "Host"].map(|s| format!("{s} side: does not compile without NDEBUG: read without its asserts"))
    );
}

#[test]
fn one_side_that_fails_leaves_the_other() {
    let source = "#ifdef __CUDA_ARCH__\n#error no device today\n#endif\nint main() {}\n";
    let p = Project::new(&[("a.cu", source)]);
    let e = p.extract("a.cu");
    assert_eq!(e.modules.iter().map(|m| m.side).collect::<Vec<_>>(), [Side::Host]);
    let [refused] = e.not_analysed.as_slice() else { panic!("{:?}", e.not_analysed) };
    assert_eq!((refused.side, refused.file.clone()), (Side::Device, p.path().join("a.cu")));
    assert_eq!(refused.reason, "a.cu:2:2: error: no device today");
}

#[test]
fn a_unit_that_does_not_compile_says_why_for_each_side() {
    let e = Project::new(&[("a.cu", "int main() { return undeclared; }\n")]).extract("a.cu");
    assert!(e.modules.is_empty());
    assert_eq!(e.not_analysed.len(), 2);
    for n in &e.not_analysed {
        assert_eq!(n.reason, "a.cu:1:21: error: use of undeclared identifier 'undeclared'");
    }
}

#[test]
fn registers_in_assembly_are_read_as_nvcc_reads_them() {
    let source = "__global__ void k(int *p) { int x; asm(\"mov.u32 %0, %tid.x;\" : \"=r\"(x)); p[x] = 1; }\n";
    let e = Project::new(&[("a.cu", source)]).extract("a.cu");
    let device = side(&e, Side::Device).to_string();
    assert!(device.contains("asm \"mov.u32 $0, %tid.x;\""), "{device}");
}

#[test]
fn what_nvcc_only_warns_about_is_no_reason_to_refuse() {
    let source = "int f(long a) { register int r = 3; char c[] = {200, (char)a}; int n{static_cast<int>(a)}; return r + c[0] + n; }\n\
                  const char *s() { char *t = \"abc\"; return t; }\nint main() { return f(1); }\n";
    let e = Project::new(&[("a.cu", source)]).extract("a.cu -std=c++17");
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
}

/// nvcc is the judge of the source.
fn takes_as_nvcc_does(source: &str) -> (Project, scuba::frontend::Extraction) {
    let p = Project::new(&[("a.cu", source)]);
    let real = Command::new(nvcc())
        .args(["-arch=sm_80", "-std=c++17", "-c", "a.cu", "-o", "/dev/null"])
        .current_dir(p.path())
        .output()
        .unwrap();
    assert!(real.status.success(), "nvcc itself: {}", String::from_utf8_lossy(&real.stderr));
    let e = p.extract("a.cu -arch=sm_80 -std=c++17");
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
    (p, e)
}

#[test]
fn headers_that_nvcc_includes_need_not_be() {
    takes_as_nvcc_does(
        "int main() { char text[8]; memcpy(text, \"abc\", 4); text[1] = (char)time(0); return (int)strlen(text) + (int)clock() + abs(-1); }\n",
    );
}

#[test]
fn shared_variables_with_constructors_have_their_size_and_line() {
    let source = "struct V { float x, y, z; __device__ V() : x(0), y(0), z(0) {} };\n\
        template <class T> __global__ void k(float *f, T t) {\n    f[0] = t; __shared__ V at[64];\n    __shared__\n    T\n    alone; alone = t; __shared__ alignas(64) V one, two;\n    at[threadIdx.x].y = f[1];\n}\n\
        __global__ void l(float *f) { __shared__ V one; one.x = f[0]; f[1] = one.x; }\n\
        int main() { k<<<1, 1>>>((float *)0, 1); l<<<1, 1>>>(0); return 0; }\n";
    let (_, e) = takes_as_nvcc_does(&source.replace(", two;", ";"));
    assert!(e.notes.iter().any(|n| n.contains("without their constructors")), "{:?}", e.notes);
    let device = side(&e, Side::Device);
    let mut shared: Vec<(&str, u32)> = device
        .globals
        .iter()
        .filter(|g| g.space == space::SHARED)
        .map(|g| (g.source_name.as_str(), device.locs[g.loc.0 as usize].line))
        .collect();
    shared.sort_unstable();
    assert_eq!(shared, [("alone", 6), ("at", 3), ("one", 6), ("one", 9)]);
}

/// One call for each kind of thing that clang 22 lacks and the header of ours adds; nvcc is the judge of the source.
#[test]
fn what_clang_lacks_is_there() {
    let source = r#"
#include <algorithm>
#include <cmath>
using namespace std;
__managed__ int shared_with_host;
__global__ void __launch_bounds__(64) k(float *f, int *p, unsigned long *u) {
  __stcs(f, __ldlu(f + 1));
  __stcg(u, __ldca(u) + __ldcg(u));
  __stwb(f, __ldcv(f));
  __nv_atomic_fetch_add(p, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  int expected = 0;
  __nv_atomic_compare_exchange_n(p, &expected, 4, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_store_n(p, __nv_atomic_load_n(p, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM), __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
  p[max(p[1], 2)] = isfinite(f[0]) + shared_with_host + static_cast<int>(min(1u, 2u));
}
__host__ __device__ int both(int a, int b) { return min(a, b) + max(a, b); }
int main(int argc, char **) {
  float x = argc;
  bool odd = isnan(x) || isinf(1.0) || std::isfinite(x) || signbit(2.0);
  double d = max(1.0, 2.0) + max(1.0f, x) + max(1, 2) + std::min(3, 4) + min(1u, 2u) + max(1.0f, 2.0);
  size_t n = min(static_cast<size_t>(argc), static_cast<size_t>(4)) + umax(1u, 2u) + llmin(1ll, 2ll);
  k<<<1, 1>>>(nullptr, nullptr, nullptr);
  return static_cast<int>(d) + odd + both(1, 2) + static_cast<int>(n) + shared_with_host;
}
"#;
    let (_, e) = takes_as_nvcc_does(source);
    let kernel = function(side(&e, Side::Device), "k(float*, int*, unsigned long*)");
    assert_eq!(kernel.max_threads, Some(64));
}

/// nvcc 13.0 takes both; sm_100_rt.h is clang's no more than the constraint is.
#[test]
fn pairs_and_texts_in_assembly_are_read() {
    let source = "struct name { static constexpr char s[] = \"add\"; };
constexpr char name::s[];
__device__ int sum(int a, int b) { int r; asm(\"%1.s32 %0, %2, %3;\" : \"=r\"(r) : \"C\"(name::s), \"r\"(a), \"r\"(b)); return r; }
__global__ void k(float2 *a, int *b) { float2 x = a[0]; a[1] = __ffma2_rn(x, x, __fadd2_rz(x, __fmul2_ru(x, x))); b[0] = sum(b[1], 2); }
int main() { k<<<1, 1>>>(nullptr, nullptr); }
";
    let p = Project::new(&[("a.cu", source)]);
    let flags = "-arch=sm_100 -std=c++17";
    let nvcc = Command::new(nvcc()).args(flags.split(' ')).args(["-c", "a.cu"]).current_dir(p.path()).status();
    assert!(nvcc.unwrap().success());
    let e = p.extract(&format!("a.cu {flags}"));
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
    assert!(e.notes.iter().any(|n| n.contains("string operands")), "{:?}", e.notes);
    function(side(&e, Side::Device), "k(float2*, int*)");
}

#[test]
fn assumptions_reach_the_analysis() {
    use scuba::ir::Op;
    let source = "__global__ void k(int *p, int n) { SCUBA_ASSUME(n % 16 == 0); __builtin_assume(n > 0); p[n] = 1; }\n\
                  int f(int n) { SCUBA_ASSUME(n < 5); return n; }\n";
    let e = Project::new(&[("a.cu", source)]).extract("a.cu");
    let count = |s, f| {
        function(side(&e, s), f).blocks.iter().flat_map(|b| &b.insts).filter(|i| matches!(i.op, Op::Assume(_))).count()
    };
    assert_eq!((count(Side::Device, "k(int*, int)"), count(Side::Host, "f(int)")), (2, 1));
}

#[test]
fn a_device_only_command_has_a_device_side_only() {
    let p = Project::new(&[("a.cu", KERNEL)]);
    let mut unit = p.unit("a.cu");
    unit.sides = scuba::nvcc::unit::Sides::DeviceOnly;
    let e = scuba::frontend::extract(&unit, &super::options()).unwrap();
    assert_eq!(e.modules.iter().map(|m| m.side).collect::<Vec<_>>(), [Side::Device]);
    assert!(e.not_analysed.is_empty());
}

#[test]
fn static_kernels_are_internal_on_both_sides() {
    use scuba::ir::{Linkage, ModuleId, Program};
    let p = Project::new(&[
        ("a.cu", "static __global__ void k(int *p) { p[0] = 1; }\nvoid a() { k<<<1, 1>>>(nullptr); }\n"),
        ("b.cu", "static __global__ void k(int *p) { p[1] = 2; }\nvoid b() { k<<<1, 1>>>(nullptr); }\n"),
    ]);
    let modules: Vec<_> = ["a.cu", "b.cu"].iter().flat_map(|f| p.extract(f).modules).collect();
    assert_eq!(function(&modules[0], "k(int*)").linkage, Linkage::Internal);
    let program = Program::link(modules.into_iter().map(std::sync::Arc::new).collect());
    let kernel = program.kernel_of_stub(ModuleId(3), "_ZL16__device_stub__kPi").unwrap();
    assert_eq!(kernel.module, ModuleId(2));
}

#[test]
fn members_have_the_names_of_the_source() {
    let p = Project::new(&[("a.cu", "\
struct Base { int id; };
namespace ns { template <class T> struct Image : Base { T *pixels; int width, height; struct { int depth; }; unsigned low : 3, high : 5; }; }
struct Empty {};
struct Other : Empty { float4 color; union { int i; float f; } either; static int count; };
__global__ void k(ns::Image<float> a, ns::Image<double> *b, Other *o) {
  a.pixels[a.width] = b->pixels[b->height] + a.depth + a.id + b->high;
  o->color.w = o->either.f;
}
")]);
    let e = p.extract("a.cu -arch=sm_80");
    let device = side(&e, Side::Device);
    let names = |of: &str| {
        let def = device.types.iter().find_map(|t| match &t.kind {
            TypeKind::Struct { name: Some(n), fields } if n == of => Some(fields),
            _ => None,
        });
        let fields = def.unwrap_or_else(|| panic!("no {of}: {:?}", device.types));
        fields.iter().map(|f| f.name.as_deref().unwrap_or("?")).collect::<Vec<_>>().join(" ")
    };
    // A base, padding, …, a member without a name, bit-fields that share a unit, padding.
    assert_eq!(names("struct.ns::Image"), " ? pixels width height  ? ?");
    assert_eq!(names("struct.Other"), "color either ?", "an empty base has no field");
    assert_eq!(names("struct.float4"), "x y z w");
    let text = device.to_string();
    assert!(text.contains(" .pixels+8") && text.contains(" .w+12"), "{text}");
}
