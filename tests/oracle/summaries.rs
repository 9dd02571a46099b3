//! Launches of a kernel that one proof decides: it must say no more than looks at each launch, and lose no finding.
//!
//! Each program is checked twice: as users check it, where small kernels are looked at launch by launch, and with every
//! kernel summarised.

use super::judge::check;
use super::unit::modules;
use scuba::check::{CheckOptions, ProgramReport, SummarisedKernels};
use scuba::ir::Program as Linked;
use std::path::Path;
use std::sync::Arc;

/// Findings by line, rule and verdict; then the numbers of safe and of undecided accesses.
type Said = (Vec<(u32, String, String)>, u32, u32);

fn said(report: &ProgramReport) -> Said {
    let mut findings: Vec<_> = report
        .findings
        .iter()
        .map(|f| (f.access.position.line, f.rule.to_string(), format!("{:?}", f.verdict)))
        .collect();
    findings.sort();
    (findings, report.summary.safe, report.summary.unknown)
}

/// Checks a program in both ways; returns what both say.
fn in_both_ways(name: &str, text: &str) -> Said {
    let modules = modules(text).unwrap().into_iter().map(Arc::new).collect();
    let linked = Arc::new(Linked::link(modules));
    let [each, together] = [SummarisedKernels::WhereCheaper, SummarisedKernels::All]
        .map(|summarise| check(&linked, CheckOptions { summarise, ..CheckOptions::default() }).unwrap());
    assert_eq!(said(&each), said(&together), "{name}");
    assert_ne!(each.summary.work, together.summary.work, "{name}: nothing was summarised");
    said(&together)
}

/// A program that launches `k` twelve times, the seventh time in another way.
fn with_one_other(kernel: &str, before: &str, usual: &str, other: &str) -> String {
    let launches: Vec<&str> = (0..12).map(|i| if i == 6 { other } else { usual }).collect();
    format!(
        "#include <cstdlib>\n{kernel}\nint main(int argc, char **argv) {{\n  float *p;\n  cudaMalloc(&p, 400);\n  {before}\n  \
         {}\n  return cudaDeviceSynchronize();\n}}\n",
        launches.join("\n  ")
    )
}

#[track_caller]
fn finds(program: &str, rule: &str, verdict: &str) {
    let (findings, ..) = in_both_ways(rule, program);
    let found: Vec<_> = findings.iter().map(|(_, rule, verdict)| (rule.as_str(), verdict.as_str())).collect();
    assert_eq!(found, [(rule, verdict)], "{program}");
}

/// The axiom that types tell memory apart is one about unknown callers' memory.
#[test]
fn what_was_stored_through_another_type_is_seen() {
    let kernel = "struct A { int x, y; }; struct B { int u; float v; };\n\
                  __global__ void k(A *a, B *b, float *q) { b->u = 1000; q[a->x] = 1; }";
    let before = "A h = {4, 1}, *a; B *b;\n  cudaMalloc(&a, sizeof h);\n  cudaMalloc(&b, sizeof(B));\n  \
                  cudaMemcpy(a, &h, sizeof h, cudaMemcpyHostToDevice);";
    let program = with_one_other(kernel, before, "k<<<1, 1>>>(a, b, p);", "k<<<1, 1>>>(a, (B *)a, p);");
    finds(&program, "oob-global", "Proved");
}

#[test]
fn a_row_that_one_launch_leaves_is_found() {
    let kernel = "__global__ void k(float (*a)[10], int n) { if (threadIdx.x < n) a[1][threadIdx.x] = 1; }";
    let last = |n: u32| format!("k<<<1, 64>>>((float (*)[10])p, argc > 1 ? {n} : 10);");
    // The last launch of each kind is looked at: `argc > 1 ? 10 : 10` is a constant, and 11 or 10 is none.
    finds(&with_one_other(kernel, "", &last(10), &last(11)), "intra-allocation", "Possible");
}

#[test]
fn addresses_that_one_launch_does_not_align_are_found() {
    let by_number =
        "__global__ void k(float *p, int o) { float4 v = *(float4 *)(p + o + 4 * threadIdx.x); p[0] = v.x; }";
    let program = with_one_other(by_number, "", "k<<<1, 16>>>(p, 4);", "k<<<1, 16>>>(p, 6);");
    finds(&program, "misaligned", "Proved");
    let by_pointer = "__global__ void k(float2 *p) { p[threadIdx.x] = make_float2(1, 2); }";
    let program =
        with_one_other(by_pointer, "", "k<<<1, 32>>>((float2 *)(p + 2));", "k<<<1, 32>>>((float2 *)(p + 1));");
    finds(&program, "misaligned", "Proved");
}

/// The kinds of the launches' arguments are the same: only the host knows that most pointers are aligned.
#[test]
fn members_that_one_launch_does_not_align_are_found() {
    let kernel = "__global__ void k(const float *p, float *y) {\n  const float4 *v = (const float4 *)p;\n  \
                  y[threadIdx.x] = v[threadIdx.x].x;\n}";
    let before = "if (argc < 3) return 1;\n  int from = atoi(argv[1]), even = atoi(argv[2]);\n  \
                  if (from < 0 || from > 20 || even < 0 || even > 20 || even % 4 != 0) return 1;\n  \
                  float *y;\n  cudaMalloc(&y, 400);";
    let program = with_one_other(kernel, before, "k<<<1, 4>>>(p + even, y);", "k<<<1, 4>>>(p + from, y);");
    finds(&program, "misaligned", "Possible");
}

#[test]
fn an_argument_that_the_kernel_narrows_is_found() {
    let kernel = "__global__ void k(float *p, long long n) { int i = threadIdx.x; if (i < (int)n) p[i] = 1; }";
    let before = "if (argc < 2) return 1;\n  long long m = atoll(argv[1]);";
    let program = with_one_other(kernel, before, "k<<<1, 256>>>(p, 100);", "if (m <= 100) k<<<1, 256>>>(p, m);");
    finds(&program, "oob-global", "Proved");
}

/// There may be launches that nobody knows.
#[test]
fn nothing_is_safe_where_the_host_is_not_followed() {
    let kernel = "__global__ void k(float *p, const int *q, int n) { if (n == 7) p[threadIdx.x] = 1; p[q[0]] = n; }\n\
                  static void deeper(float *p, int *q, int left) {\n  k<<<1, 64>>>(p, q, 3);\n  \
                  if (left > 0) deeper(p, q, left - 1);\n}";
    let before = "if (argc < 2) return 1;\n  int *q;\n  cudaMalloc(&q, 4);\n  cudaMemset(q, 0, 4);";
    let program = with_one_other(kernel, before, "k<<<1, 64>>>(p, q, 3);", "k<<<1, 64>>>(p, q, 7);");
    let program = program.replace("  return cuda", "  deeper(p, q, atoi(argv[1]));\n  return cuda");
    let (findings, safe, undecided) = in_both_ways("deeper", &program);
    assert_eq!((findings, safe, undecided), (vec![], 0, 3), "{program}");
}

/// Programs with many launches, and such whose findings are no matter of bounds.
#[test]
fn programs_of_users_tests_are_judged_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for name in [
        "clean/many_launches",
        "index-overflow/at_many_launches",
        "index-overflow/image",
        "intra-allocation/rows",
        "invalid-pointer/index_never_set",
        "misaligned/one_of_many_launches",
        "oob-global/aliases_among_launches",
        "oob-global/limit_raised_among_launches",
        "oob-global/one_of_many_launches",
        "use-after-free/freed_among_launches",
    ] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("cu")).unwrap();
        let (findings, ..) = in_both_ways(name, &text);
        assert_eq!(findings.is_empty(), name.starts_with("clean/"), "{name}");
    }
}
