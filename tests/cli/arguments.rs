//! What operators of PyTorch extensions are given beside tensors that are all there: optional tensors, tuples, numbers that tensors hold.

use super::tensors::{checked, proved};
use super::{Project, Said};
use scuba::finding::{Report, Verdict};
use scuba::rules::{Level, Rule};

/// Safe accesses and all of them.
fn safe(report: &Report) -> (u32, u32) {
    (report.summary.safe, report.summary.accesses)
}

/// Reasons of the places that are not decided.
fn reasons(report: &Report) -> Vec<String> {
    report.undecided.iter().map(|u| u.reason.clone()).collect()
}

const OPTIONAL: &str = "\
#include <torch/extension.h>
#include <optional>
__global__ void add(float *x, const bool *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (v == nullptr || v[i])
    x[i] += 1;
}
void launch(torch::Tensor &x, const std::optional<torch::Tensor> v) {
  int n = x.numel();
  if (n > 0) add<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), v.has_value() ? v.value().data_ptr<bool>() : nullptr, n);
}
void op(torch::Tensor &x, const std::optional<torch::Tensor> &v, bool all) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous());
  if (WHERE) TORCH_CHECK(v.value().is_cuda() && v.value().is_contiguous() && v.value().numel() == x.numel());
  launch(x, v);
}
TORCH_LIBRARY(lib, m) { m.def(\"op\", &op); }
";

#[test]
fn checks_of_an_optional_tensor_hold_where_it_is_there() {
    let (report, _) = checked(&OPTIONAL.replace("WHERE", "v.has_value()"));
    assert_eq!(safe(&report), (2, 2), "{:?} {:?}", report.findings, reasons(&report));
    let (report, _) = checked(&OPTIONAL.replace("WHERE", "v.has_value() && x.numel() > 2"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 6)], "{:?}", reasons(&report));
    let (report, _) = checked(&OPTIONAL.replace("WHERE", "v.has_value() && all"));
    assert_eq!(safe(&report), (1, 2), "{:?}", report.findings);
}

const COUNT: &str = "\
#include <torch/extension.h>
__global__ void count(int *total) { total[AT] = 1; }
void op(const torch::Tensor &total) {
  TORCH_CHECK(total.is_cuda() && total.scalar_type() == torch::kInt32 && CHECKED);
  count<<<1, 1>>>(total.data_ptr<int>());
}
TORCH_LIBRARY(ext, m) { m.def(\"count\", &op); }
";

#[test]
fn a_tensor_with_elements_has_its_first_one() {
    let of = |at: &str, check: &str| checked(&COUNT.replace("AT", at).replace("CHECKED", check)).0;
    let report = of("0", "total.numel() >= 1");
    assert_eq!(safe(&report), (1, 1), "{:?} {:?}", report.findings, reasons(&report));
    assert_eq!(proved(&of("0", "total.dim() < 3")), [(Rule::UncheckedArgument, 2)]);
    // All elements may be one in memory.
    let report = of("1", "total.numel() >= 2");
    assert_eq!(safe(&report), (0, 1), "{:?}", report.findings);
    assert_eq!(safe(&of("1", "total.numel() >= 2 && total.is_contiguous()")), (1, 1));
}

const TUPLE: &str = "\
#include <torch/extension.h>
#include <tuple>
__global__ void fill(float *y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = 1;
}
torch::Tensor op(const torch::Tensor &like, int n, PASSED bounds) {
  TORCH_CHECK(like.is_cuda() && like.scalar_type() == torch::kFloat32 && n > 0 && n < 100000);
  int m = std::get<0>(bounds) * std::get<2>(bounds);
  TORCH_CHECK(m > 0 && m CHECKED);
  auto y = torch::empty({n}, like.options());
  fill<<<(m + 127) / 128, 128>>>(y.data_ptr<float>(), m);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn elements_of_a_tuple_are_inputs() {
    for passed in ["std::tuple<int, int, int>", "std::tuple<int, double, short>"] {
        let of = |check: &str| checked(&TUPLE.replace("PASSED", passed).replace("CHECKED", check)).0;
        let report = of("< 100000");
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{passed}: {:?}", reasons(&report));
        let inputs = &report.findings[0].witness.as_ref().unwrap().inputs;
        let named: Vec<&str> = inputs.iter().map(|i| i.name.as_str()).filter(|n| n.contains("bounds")).collect();
        assert!(named.contains(&"std::get<0>(bounds)") && named.contains(&"std::get<2>(bounds)"), "{named:?}");
        let report = of("<= n");
        assert_eq!(safe(&report), (1, 1), "{passed}: {:?} {:?}", report.findings, reasons(&report));
    }
}

const NUMBER: &str = "\
#include <torch/extension.h>
__global__ void copy(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[AT];
}
torch::Tensor op(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 1);
  int n = x.size(0);
  int m = FROM;
  auto y = torch::empty({n}, x.options());
  if (m > 0 && n > 0) copy<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, m);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn asking_a_tensor_for_its_number_changes_no_tensor() {
    let of = |at: &str, from: &str| checked(&NUMBER.replace("AT", at).replace("FROM", from)).0;
    for from in ["x.max().item().toInt()", "x.sum().item<int>()", "x.max().item<int64_t>()"] {
        let report = of("i", from);
        assert_eq!(safe(&report), (2, 2), "{from}: {:?} {:?}", report.findings, reasons(&report));
        let report = of("m", from);
        assert_eq!((safe(&report), report.findings.len()), ((1, 2), 0), "{from}: {:?}", report.findings);
    }
    let why = reasons(&of("m", "x.max().item().toInt()"));
    assert!(why.iter().any(|w| w.contains("max")), "{why:?}");
    // Only a tensor of one element has a number: the others throw.
    assert_eq!(safe(&of("i", "x.item().toInt()")), (2, 2));
    let report = of("i + n - 1", "x.item<int>()");
    assert_eq!(safe(&report), (2, 2), "{:?} {:?}", report.findings, reasons(&report));
    assert_eq!(proved(&of("i + n", "x.item<int>()")).len(), 1);
}

#[test]
fn a_number_that_a_tensor_holds_leads_out() {
    let counted = NUMBER
        .replace("op(torch::Tensor x)", "op(torch::Tensor x, const torch::Tensor &count)")
        .replace("AT", "m")
        .replace("FROM", "count.item<int>()");
    let (report, _) = checked(&counted);
    assert_eq!(proved(&report), [(Rule::DataIndex, 5)], "{:?}", reasons(&report));
    assert_eq!(report.findings[0].arguments["count"].elements.len(), 1);
    let (report, _) = checked(&counted.replace("m > 0 && n > 0", "m > 0 && m < n"));
    assert_eq!(safe(&report), (2, 2), "{:?} {:?}", report.findings, reasons(&report));
    // What a kernel writes is another number than the caller's.
    let written = counted
        .replace("const torch::Tensor &count", "torch::Tensor count")
        .replace("torch::Tensor op", "__global__ void set(int *p) { p[0] = 7; }\ntorch::Tensor op")
        .replace(
            "  int m = count.item<int>();",
            "  TORCH_CHECK(count.is_cuda() && count.numel() == 1 && count.scalar_type() == torch::kInt32);\n  int before = count.item<int>();\n  TORCH_CHECK(before >= 0 && before < n);\n  set<<<1, 1>>>(count.data_ptr<int>());\n  int m = count.item<int>();",
        );
    let (report, _) = checked(&written);
    assert!(
        !report.findings.iter().any(|f| f.access.direction == scuba::finding::Direction::Write),
        "{:?}",
        report.findings
    );
    assert!(safe(&report).0 < safe(&report).1, "{:?}", report.findings);
}

#[test]
fn an_operator_given_by_its_type_is_one() {
    let source = "\
#include <torch/extension.h>
__global__ void k(const float *x, float *y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
namespace ops {
at::Tensor copy(const at::Tensor &x, int64_t n) { return x; }
}
LINKAGE at::Tensor copy(const at::Tensor &x, int64_t n) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat32 && n > 0 && n < 100000);
  at::Tensor y = at::empty({n}, x.options());
  k<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
TORCH_LIBRARY(ext, m) { m.def(\"copy(Tensor x, int n) -> Tensor\"); }
TORCH_LIBRARY_IMPL(ext, CUDA, m) { m.impl(\"copy\", TORCH_FN(GIVEN)); }
";
    for linkage in ["", "static"] {
        let (report, _) = checked(&source.replace("LINKAGE", linkage).replace("GIVEN", "copy"));
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{:?}", report.findings);
    }
    // Of the other one nothing is known but itself.
    let (report, _) = checked(&source.replace("LINKAGE", "").replace("GIVEN", "ops::copy"));
    assert_eq!(proved(&report), [], "{:?}", report.findings);
    assert!(report.findings.iter().all(|f| f.verdict == Verdict::Possible), "{:?}", report.findings);
}

const ROWS: &str = "\
#include <torch/extension.h>
__global__ void gather(const float *x, const TYPE *rois, float *y, int n, int rows, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int b = rois[i];
  if (GUARD)
    y[i] = x[b * c];
}
at::Tensor op(at::Tensor x, at::Tensor rois) {
  TORCH_CHECK(x.is_cuda() && rois.is_cuda() && x.is_contiguous() && rois.is_contiguous() && x.dim() == 2 && rois.dim() == 1);
  TORCH_CHECK(x.size(0) > 0 && x.size(1) > 0 && x.size(0) < 30000 && x.size(1) < 30000);
  int n = rois.size(0);
  auto y = at::empty({n}, x.options());
  if (n > 0) gather<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), rois.data_ptr<TYPE>(), y.data_ptr<float>(), n, x.size(0), x.size(1));
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn an_index_of_a_tensor_of_real_numbers_is_an_input() {
    for ty in ["float", "double"] {
        let of = |guard: &str| checked(&ROWS.replace("TYPE", ty).replace("GUARD", guard));
        let (report, said): (Report, Said) = of("b < rows || b == 900");
        assert_eq!(proved(&report), [(Rule::DataIndex, 7)], "{ty}: {:?}", reasons(&report));
        let finding = &report.findings[0];
        assert_eq!((finding.level, said.status), (Level::Warn, 0));
        let rois = &finding.arguments["rois"];
        assert!(rois.elements.values().any(|v| *v != 0), "{rois}");
        let (report, _) = of("b >= 0 && b < rows");
        assert_eq!(safe(&report), (3, 3), "{ty}: {:?} {:?}", report.findings, reasons(&report));
    }
}

#[test]
fn elements_that_lead_out_are_shown_and_no_others() {
    let p = Project::new();
    p.write("k.cu", &ROWS.replace("TYPE", "float").replace("GUARD", "true"));
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    let said = Said::from(p.command().args(["check", "k.cu", "--", "-std=c++17", &include]).output().unwrap());
    let shown = "with rois: float32[1] where element 0 is 1000, x: float32[1, 1]: grid";
    assert!(said.err.contains(shown), "{}", said.err);
    assert!(said.err.contains("relies on the contents of `rois`:"), "{}", said.err);
}

const LIST: &str = "\
#include <torch/extension.h>
#include <vector>
__global__ void scale(const float *x, const float *g, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] *
      g[i % m];
}
at::Tensor op(at::Tensor x, PASSED shape, at::Tensor g) {
  TORCH_CHECK(x.is_cuda() && g.is_cuda() && x.is_contiguous() && g.is_contiguous());
  int m = 1;
  for (size_t i = 0; i < shape.size(); i++) m *= shape[i];
  TORCH_CHECK(m > 0 && CHECKED);
  auto y = at::empty_like(x);
  int n = x.numel();
  if (n > 0) scale<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), g.data_ptr<float>(), y.data_ptr<float>(), n, m);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn lists_of_integers_are_varied() {
    for passed in ["at::IntArrayRef", "std::vector<int64_t>", "const std::vector<int64_t> &"] {
        let of = |check: &str| checked(&LIST.replace("PASSED", passed).replace("CHECKED", check)).0;
        let report = of("g.dim() == int64_t(shape.size())");
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, 7)], "{passed}: {:?}", reasons(&report));
        let run = &report.findings[0].witness.as_ref().unwrap().run;
        let call = run.call.as_deref().unwrap_or_default();
        assert!(call.contains("), [") && call.contains("], torch."), "{passed}: {call}");
        let report = of("g.numel() == m");
        assert_eq!(safe(&report), (3, 3), "{passed}: {:?} {:?}", report.findings, reasons(&report));
        let report = of("g.sizes().equals(shape)");
        assert_eq!(safe(&report), (3, 3), "{passed}: {:?} {:?}", report.findings, reasons(&report));
    }
}

const PRODUCT: &str = "\
#include <torch/extension.h>
#include <cstring>
#include <numeric>
#include <vector>
__global__ void scale(const float *x, const float *g, float *y, int64_t n, int64_t m) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] *
      g[i % m];
}
at::Tensor op(at::Tensor x, PASSED shape, at::Tensor g) {
  TORCH_CHECK(x.is_cuda() && g.is_cuda() && x.is_contiguous() && g.is_contiguous());
  CHECKED
  auto y = at::empty_like(x);
  int n = x.numel();
  if (n > 0) scale<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), g.data_ptr<float>(), y.data_ptr<float>(), n, m);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

/// A product over the list, which is not 0.
const TIMES: &str = "int m = 1; for (auto s : shape) m *= s; TORCH_CHECK(m > 0);";

fn of_product(passed: &str, check: &str) -> Report {
    let check = check.replace("TIMES", TIMES);
    checked(&PRODUCT.replace("PASSED", passed).replace("CHECKED", &check)).0
}

#[test]
fn products_of_equal_lists_are_equal() {
    let (list, vector) = ("at::IntArrayRef", "std::vector<int64_t>");
    for (passed, check) in [
        (list, "TORCH_CHECK(g.sizes() == shape); TIMES"),
        (list, "if (g.sizes() != shape) throw 1; TIMES"),
        (vector, "TORCH_CHECK(shape == std::vector<int64_t>(g.sizes().begin(), g.sizes().end())); TIMES"),
        (list, "TORCH_CHECK(std::equal(shape.begin(), shape.end(), g.sizes().begin(), g.sizes().end())); TIMES"),
        (
            vector,
            "size_t c = shape.size(); TORCH_CHECK(int64_t(c) == g.dim());
             TORCH_CHECK(memcmp(shape.data(), g.sizes().data(), 8 * c) == 0); TIMES",
        ),
        (
            vector,
            "TORCH_CHECK(int64_t(shape.size()) == g.dim()); auto gs = g.sizes();
             for (size_t i = 0; i < shape.size(); i++) TORCH_CHECK(gs[i] == shape[i]); TIMES",
        ),
        (list, "TORCH_CHECK(g.sizes().equals(shape)); int64_t m = c10::multiply_integers(shape); TORCH_CHECK(m > 0);"),
        (list, "int64_t m = c10::multiply_integers(g.sizes()); TORCH_CHECK(m > 0);"),
        // No element, if not a launch without elements.
        (
            list,
            "TORCH_CHECK(g.sizes().equals(shape) && x.sizes().slice(x.dim() - shape.size()).equals(shape));
             int m = 1; for (auto s : shape) m *= s;",
        ),
        (list, "TORCH_CHECK(g.sizes().slice(1).equals(shape) && g.numel() > 0); TIMES"),
        (list, "TORCH_CHECK(g.dim() == 2 && g.sizes().equals(shape)); TIMES"),
        (vector, "TORCH_CHECK(g.sizes().equals(shape)); shape = std::vector<int64_t>(shape); TIMES"),
        (
            list,
            "TORCH_CHECK(g.sizes().equals(shape) && g.numel() < 1000);
             int m = 3; for (auto s : shape) m *= s; m /= 3; TORCH_CHECK(m > 0);",
        ),
    ] {
        let report = of_product(passed, check);
        assert_eq!(safe(&report), (3, 3), "{check}: {:?} {:?}", report.findings, reasons(&report));
    }
}

#[test]
fn products_of_other_lists_lead_out() {
    let (list, vector) = ("at::IntArrayRef", "std::vector<int64_t>");
    for (passed, check) in [
        (list, "TORCH_CHECK(!g.sizes().equals(shape)); TIMES"),
        (list, "if (g.sizes().equals(shape)) return x; TIMES"),
        (list, "TORCH_CHECK(g.sizes().equals(shape) || x.dim() == 1); TIMES"),
        (list, "if (x.dim() == 1) TORCH_CHECK(g.sizes().equals(shape)); TIMES"),
        (vector, "TORCH_CHECK(!shape.empty() && g.sizes().equals(shape)); shape[0] = 5; TIMES"),
        (vector, "TORCH_CHECK(g.sizes().equals(shape)); for (auto &s : shape) s += 1; TIMES"),
        (list, "TORCH_CHECK(g.sizes().equals(shape)); int m = 2; for (auto s : shape) m *= s; TORCH_CHECK(m > 0);"),
        (list, "TORCH_CHECK(g.sizes().equals(shape)); int m = 1; for (auto s : shape) m *= s + 1; TORCH_CHECK(m > 0);"),
        // A size of `g` that the list lacks may be 0.
        (list, "TORCH_CHECK(g.sizes().slice(1).equals(shape)); TIMES"),
        (list, "TORCH_CHECK(g.sizes().equals(shape.slice(1))); TIMES"),
        (list, "TORCH_CHECK(x.sizes().slice(0, shape.size()).equals(shape)); TIMES"),
        (list, "TORCH_CHECK(g.sizes().equals(shape)); g = at::empty({1}, g.options()); TIMES"),
        (
            vector,
            "size_t c = shape.size(); TORCH_CHECK(int64_t(c) == g.dim());
             TORCH_CHECK(memcmp(shape.data(), g.sizes().data(), 4 * c) == 0); TIMES",
        ),
        (
            vector,
            "size_t c = shape.size(); TORCH_CHECK(int64_t(c) == g.dim());
             TORCH_CHECK(memcmp(shape.data(), g.sizes().data(), 8 * c) >= 0); TIMES",
        ),
        (
            vector,
            "TORCH_CHECK(int64_t(shape.size()) == g.dim()); auto gs = g.sizes();
             for (size_t i = 1; i < shape.size(); i++) TORCH_CHECK(gs[i] == shape[i]); TIMES",
        ),
    ] {
        let report = of_product(passed, check);
        assert_eq!(proved(&report).len(), 1, "{check}: {:?}", reasons(&report));
    }
    // Small runs have no such lists.
    for (passed, check) in [
        (list, "TORCH_CHECK(g.sizes().equals(shape)); int m = 1; for (auto s : shape) m *= s;"),
        (vector, "TORCH_CHECK(g.sizes().equals(shape)); shape.push_back(2); TIMES"),
        (
            list,
            "TORCH_CHECK(g.sizes().equals(shape)); int w = 1; for (auto s : shape) w *= s; TORCH_CHECK(w > 0);
             g = at::empty({w}, g.options()); int64_t m = c10::multiply_integers(shape);",
        ),
        (
            "std::vector<int>",
            "size_t c = shape.size(); TORCH_CHECK(int64_t(c) == g.dim());
             TORCH_CHECK(memcmp(shape.data(), g.sizes().data(), 4 * c) == 0); TIMES",
        ),
    ] {
        let report = of_product(passed, check);
        assert_ne!(safe(&report).0, 3, "{check}");
    }
}
