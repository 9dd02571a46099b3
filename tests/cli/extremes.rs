//! Operators that check the least and the greatest element of an index tensor.

use super::tensors::{checked, proved};
use super::{Project, Said};
use scuba::finding::Report;
use scuba::rules::Rule;

const TAKE: &str = "\
#include <torch/extension.h>
__global__ void take(const float *x, const AS *idx, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[idx[i]];
  }
}
torch::Tensor op(torch::Tensor x, torch::Tensor idx) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 1 && x.is_contiguous() && x.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(idx.is_cuda() && idx.dim() == RANK && idx.is_contiguous() && idx.scalar_type() == at::ScalarType::TYPE);
  auto y = torch::empty({idx.numel()}, x.options());
  int n = idx.numel();
  if (n == 0 || n > 100000) return y;
  CHECKS
  take<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), (const AS *)idx.data_ptr(), y.data_ptr<float>(), n);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

fn source((scalar_type, read_as): (&str, &str), rank: u32, checks: &str) -> String {
    let source = TAKE.replace("TYPE", scalar_type).replace("AS", read_as).replace("RANK", &rank.to_string());
    source.replace("CHECKS", checks)
}

fn of(elements: (&str, &str), rank: u32, checks: &str) -> Report {
    checked(&source(elements, rank, checks)).0
}

/// A check that both extremes are in bounds, given how they are reduced.
fn between(least: &str, most: &str) -> String {
    format!("TORCH_CHECK({least}.item<int64_t>() >= 0 && {most}.item<int64_t>() < x.size(0));")
}

const LONG: (&str, &str) = ("Long", "int64_t");

fn is_safe(report: &Report) -> bool {
    report.findings.is_empty() && report.summary.safe == 3
}

#[test]
fn elements_of_bytes_are_read_without_a_sign() {
    let below = "TORCH_CHECK(idx.max().item<int64_t>() < x.size(0));";
    for check in [below, &between("idx.min()", "idx.max()")] {
        for elements in [("Byte", "uint8_t"), ("Char", "int8_t"), ("Byte", "int8_t"), ("Char", "uint8_t")] {
            let report = of(elements, 1, check);
            let right = elements.1 == "uint8_t" && elements.0 == "Byte";
            let with_least = check.contains("min") && elements.0 == "Char";
            assert_eq!(is_safe(&report), right || with_least, "{elements:?}, {check}: {:?}", report.undecided);
            if !is_safe(&report) {
                assert_eq!(proved(&report), [(Rule::DataIndex, 5)], "{elements:?}, {check}: {:?}", report.findings);
                // An example holds what elements of the type can be.
                let least = if elements.0 == "Byte" { 0 } else { -128 };
                let shown: Vec<i64> = report.findings[0].arguments["idx"].elements.values().copied().collect();
                assert!(shown.iter().all(|n| (least..least + 256).contains(n)), "{elements:?}, {check}: {shown:?}");
            }
        }
    }
}

#[test]
fn reductions_along_all_dimensions_are_those_of_all_elements() {
    for (rank, dims) in [(1, "{}"), (1, "{0}"), (1, "{-1}"), (2, "{}"), (2, "{0, 1}"), (2, "{-1, 0}")] {
        for keep in ["false", "true"] {
            let along = |name: &str| format!("at::_ops::{name}::call(idx, {dims}, {keep})");
            let report = of(LONG, rank, &between(&along("amin"), &along("amax")));
            assert!(is_safe(&report), "{dims}, {keep}: {:?} {:?}", report.findings, report.undecided);
        }
    }
    for d in ["0", "-1"] {
        let along = |name: &str| format!("std::get<0>(at::_ops::{name}_dim::call(idx, {d}, false))");
        let report = of(LONG, 1, &between(&along("min"), &along("max")));
        assert!(is_safe(&report), "{d}: {:?} {:?}", report.findings, report.undecided);
    }
}

#[test]
fn reductions_along_one_of_two_dimensions_bound_no_other_elements() {
    for most in [
        "at::_ops::amax::call(idx, {0}, true)[0][0]",
        "at::_ops::amax::call(idx, {0}, false)[0]",
        "at::_ops::amax::call(idx, {1}, false)[0]",
        "at::_ops::amax::call(idx, {-1}, true)[0][0]",
        "std::get<0>(at::_ops::max_dim::call(idx, 1, false))[0]",
        "std::get<0>(at::_ops::max_dim::call(idx, 0, true))[0][0]",
        // The places of the greatest elements are no elements.
        "std::get<1>(at::_ops::max_dim::call(idx.view({idx.numel()}), 0, false))",
        // Of some of the elements.
        "at::_ops::amax::call(idx[0], {0}, false)",
    ] {
        let report = of(LONG, 2, &between("idx.min()", most));
        assert!(!is_safe(&report), "{most}");
    }
}

#[test]
fn an_access_far_from_all_memory_is_one_of_the_tensor_that_it_was_meant_for() {
    // Each element is 0x0101010101010101.
    let set = "cudaMemset(idx.data_ptr(), 1, n * 8);";
    let report = of(LONG, 1, set);
    assert_eq!(proved(&report), [(Rule::DataIndex, 5)], "{:?}", report.undecided);
    let w = report.findings[0].witness.as_ref().unwrap();
    let held = 4 * report.findings[0].arguments["x"].sizes[0];
    assert_eq!((w.offset_bytes, w.extent_bytes), (4 * 0x0101_0101_0101_0101, held));
}

const NEXT: &str = "\
#include <torch/extension.h>
__global__ void take(const float *x, int *idx, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = x[idx[i]]; }
}
torch::Tensor op(torch::Tensor x, torch::Tensor idx) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 1 && x.is_contiguous() && x.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(idx.is_cuda() && idx.dim() == 1 && idx.is_contiguous() && idx.scalar_type() == at::ScalarType::Int);
  int64_t count = idx.size(0);
  auto y = torch::empty({count}, x.options());
  if (count == 0 || count > 100000) return y;
  int n = count;
  TORCH_CHECK(idx.min().item<int>() >= 0);
  TORCH_CHECK(idx.max().item<int>() + 1 <= x.size(0));
  take<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), idx.data_ptr<int>(), y.data_ptr<float>(), n);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn what_must_not_wrap_has_a_name() {
    let p = Project::new();
    p.write("k.cu", NEXT);
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    let said = Said::from(p.command().args(["check", "-v", "k.cu", "--", "-std=c++17", &include]).output().unwrap());
    let named = "`x` is safe if `max(…) + 1` as a signed 32-bit integer does not wrap";
    assert!(said.err.contains(named), "{said:?}");
}

#[test]
fn a_tensor_that_is_too_long_to_be_read_proves_nothing() {
    // `n` wraps for tensors of more than 2^32 elements, none of which a replay reads.
    let report =
        of(LONG, 1, "TORCH_CHECK(idx.min().item<int64_t>() >= 0 && idx.max().item<int64_t>() + 1 <= x.size(0));");
    assert_eq!(proved(&report), [], "{:?}", report.findings);
}

/// The operator without its check of the index tensor's type, and how it takes its pointer.
fn of_any_type(read_as: &str, pointer: &str, checks: &str) -> Report {
    let untyped = source(("Long", read_as), 1, checks)
        .replace(" && idx.scalar_type() == at::ScalarType::Long", "")
        .replace(&format!("(const {read_as} *)idx.data_ptr()"), pointer);
    assert!(untyped.contains(pointer) && untyped.contains("idx.is_contiguous());"), "{untyped}");
    checked(&untyped).0
}

#[test]
fn the_type_may_be_checked_after_the_extremes() {
    let item = |of: &str| between("idx.min()", "idx.max()").replace("int64_t", of);
    for (read_as, item_as) in [("int64_t", "int64_t"), ("int", "int64_t"), ("int", "int"), ("int64_t", "int")] {
        let typed = format!("idx.data_ptr<{read_as}>()");
        let report = of_any_type(read_as, &typed, &item(item_as));
        assert!(is_safe(&report), "{read_as} {item_as}: {:?} {:?}", report.findings, report.undecided);
        let late = "TORCH_CHECK(idx.scalar_type() == at::ScalarType::TYPE);".replace("TYPE", "Long");
        let report = of_any_type("int64_t", "(const int64_t *)idx.data_ptr()", &format!("{} {late}", item(item_as)));
        assert!(is_safe(&report), "late {item_as}: {:?} {:?}", report.findings, report.undecided);
    }
}

#[test]
fn extremes_of_an_unknown_type_bound_what_they_are_of_alone() {
    let typed = "idx.data_ptr<int64_t>()";
    let past = "TORCH_CHECK(idx.min().item<int64_t>() >= 0 && idx.max().item<int64_t>() <= x.size(0));";
    assert_eq!(proved(&of_any_type("int64_t", typed, past)), [(Rule::DataIndex, 5)]);
    // The elements are read as another type than they have.
    let report = of_any_type("int64_t", "(const int64_t *)idx.data_ptr()", &between("idx.min()", "idx.max()"));
    assert!(!is_safe(&report));
    // What holds the extreme, or what it is of, is written afterwards.
    let most = "auto most = idx.max();";
    for written in ["cudaMemset(most.data_ptr(), 0, 1);", "cudaMemset(idx.data_ptr(), 1, n * 8);"] {
        let checks = format!("{most} {written} {}", between("idx.min()", "most"));
        let report = of_any_type("int64_t", typed, &checks);
        let of_extreme = written.contains("most");
        assert!(!is_safe(&report), "{written}: {:?}", report.undecided);
        assert!(!of_extreme || proved(&report) == [(Rule::DataIndex, 5)], "{written}: {:?}", report.findings);
    }
    let after = format!("{} cudaMemset(idx.data_ptr(), 1, n * 8);", between("idx.min()", "idx.max()"));
    assert!(!is_safe(&of_any_type("int64_t", typed, &after)));
}

const TWICE: &str = "\
#include <torch/extension.h>
__global__ void set(int *p, int v) { p[0] = v; }
__global__ void use(const int *p, float *y) {
  y[p[0]] = 3;
}
void op(const torch::Tensor &p, const torch::Tensor &q, const torch::Tensor &y, int64_t v) {
  TORCH_CHECK(p.is_cuda() && q.is_cuda() && y.is_cuda() && p.is_contiguous() && q.is_contiguous() && y.is_contiguous());
  TORCH_CHECK(p.scalar_type() == at::ScalarType::Int && q.scalar_type() == at::ScalarType::Int);
  TORCH_CHECK(y.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(p.dim() == 1 && p.numel() == 1 && q.numel() == 1 && y.numel() > 0);
  TORCH_CHECK(p.max().item<int>() < y.numel() && p.min().item<int>() >= 0);
  set<<<1, 1>>>(WRITTEN.data_ptr<int>(), v);
  use<<<1, 1>>>(p.data_ptr<int>(), y.data_ptr<float>());
}
TORCH_LIBRARY(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_write_through_another_name_changes_what_was_checked() {
    let decided = |written: &str| {
        let report = checked(&TWICE.replace("WRITTEN", written)).0;
        report.summary.accesses - report.summary.unknown
    };
    // `op(p, p, y, v)` is a call, too.
    assert_eq!(decided("q"), 2);
    assert_eq!(decided("torch::empty({1}, q.options())"), 3);
}
