//! Tensors by other spellings than `data_ptr`: accessors that kernels index by dimension, pointers to what is not written, and the stable ABI. The headers
//! are ours, with PyTorch's names (`tests/support/include`).

use super::tensors::{checked, proved};
use scuba::finding::Report;
use scuba::rules::Rule;

/// Rows that a kernel indexes by packed accessors.
const ROWS: &str = "\
#include <torch/extension.h>
template <typename T>
__global__ void rows(const torch::ACCESSOR<T, 2, at::RestrictPtrTraits> a, torch::ACCESSOR<float, 2> out) {
  int n = blockIdx.x, c = threadIdx.x;
  if (n < a.size(0) && c < a.size(1)) out[n][c] = a[n][c];
}
torch::Tensor op(const torch::Tensor &x, torch::Tensor out) {
  TORCH_CHECK(x.is_cuda() && out.is_cuda());
  CHECKS
  if (x.size(0) > 0)
    rows<<<x.size(0), 256>>>(x.METHOD<ELEMENT, 2, at::RestrictPtrTraits>(), out.METHOD<float, 2>());
  return out;
}
TORCH_LIBRARY(ext, m) { m.def(\"op(Tensor x, Tensor out) -> Tensor\", &op); }
";

fn rows(checks: &str, (accessor, method): (&str, &str), element: &str) -> String {
    let filled = ROWS.replace("ACCESSOR", accessor).replace("METHOD", method).replace("CHECKS", checks);
    filled.replace("ELEMENT", element)
}

const SAME: &str = "TORCH_CHECK(x.dim() == 2 && out.dim() == 2 && out.size(0) == x.size(0) && out.size(1) == x.size(1) && x.is_contiguous() && out.is_contiguous());";

const WIDTHS: [(&str, &str); 2] =
    [("PackedTensorAccessor32", "packed_accessor32"), ("PackedTensorAccessor64", "packed_accessor64")];

/// Accesses, and how many of them are safe.
pub(super) fn safe(report: &Report) -> (u32, u32) {
    (report.summary.accesses, report.summary.safe)
}

#[test]
fn packed_accessors_have_the_extents_of_their_tensors() {
    for width in WIDTHS {
        for element in ["float", "const float"] {
            let (report, _) = checked(&rows(SAME, width, element));
            assert_eq!(safe(&report), (2, 2), "{width:?} {element}: {:?} {:?}", report.findings, report.undecided);
        }
        let (report, _) = checked(&rows("", width, "const float"));
        // Strides are 32 bits wide in the one accessor, and nothing checks that they are those of contiguous tensors.
        let wraps = (width.1 == "packed_accessor32").then_some((Rule::IndexOverflow, 5));
        let expected: Vec<(Rule, u32)> = [(Rule::UncheckedArgument, 5)].into_iter().chain(wraps).collect();
        assert_eq!(proved(&report), expected, "{width:?}: {:?}", report.undecided);
        let (x, out) = (&report.findings[0].arguments["x"], &report.findings[0].arguments["out"]);
        assert!(x.sizes[0] > out.sizes[0] || x.sizes[1] > out.sizes[1], "{x} {out}");
    }
}

#[test]
fn pointers_by_newer_names_are_pointers_to_the_tensors_elements() {
    let source = |checks: &str| {
        "\
#include <torch/extension.h>
__global__ void copy(const float *x, float *y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
void op(const torch::Tensor &x, const torch::Tensor &y) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda() && x.is_contiguous() && y.is_contiguous());
  CHECKS
  int64_t n = x.numel();
  if (n > 0) copy<<<(n + 255) / 256, 256>>>(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), n);
}
TORCH_LIBRARY(ext, m) { m.def(\"op(Tensor x, Tensor y) -> ()\", &op); }
"
        .replace("CHECKS", checks)
    };
    let (report, _) = checked(&source("TORCH_CHECK(y.numel() == x.numel());"));
    assert_eq!(safe(&report), (2, 2), "{:?} {:?}", report.findings, report.undecided);
    let (report, _) = checked(&source(""));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 4)], "{:?}", report.undecided);
    let (x, y) = (&report.findings[0].arguments["x"], &report.findings[0].arguments["y"]);
    assert!(x.sizes.iter().product::<i64>() > y.sizes.iter().product::<i64>(), "{x} {y}");
}

/// An operator of the stable ABI.
const STABLE: &str = "\
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
using torch::stable::Tensor;
__global__ void muladd(const float *a, const float *b, float c, float *r, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) r[i] = a[i] * b[i] + c;
}
static Tensor op(const Tensor &a, Tensor b, double c) {
  STD_TORCH_CHECK(a.is_cuda() && b.device().is_cuda());
  STD_TORCH_CHECK(a.scalar_type() == torch::headeronly::ScalarType::Float, \"type\");
  CHECKS
  Tensor ac = torch::stable::contiguous(a), bc = torch::stable::contiguous(b);
  Tensor r = MADE;
  int64_t n = ac.numel();
  void *stream;
  aoti_torch_get_current_cuda_stream(a.get_device(), &stream);
  if (n > 0)
    muladd<<<(n + 255) / 256, 256, 0, (cudaStream_t)stream>>>(ac.const_data_ptr<float>(), bc.const_data_ptr<float>(), c, r.mutable_data_ptr<float>(), n);
  return r;
}
";
const BOXED: &str = "\
STABLE_TORCH_LIBRARY(ext, m) { m.def(\"op(Tensor a, Tensor b, float c) -> Tensor\"); }
STABLE_TORCH_LIBRARY_IMPL(ext, CUDA, m) { m.impl(\"op\", TORCH_BOX(&op)); }
";

fn stable(checks: &str, made: &str) -> String {
    STABLE.replace("CHECKS", checks).replace("MADE", made) + BOXED
}

#[test]
fn operators_of_the_stable_abi_are_judged_as_others() {
    let by_sizes = "STD_TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.sizes().equals(b.sizes()));";
    let by_number = "STD_TORCH_CHECK(b.numel() == a.numel());";
    for (checks, made) in [
        (by_sizes, "torch::stable::empty_like(ac)"),
        (by_number, "torch::stable::new_empty(ac, {ac.numel()})"),
        (by_number, "torch::stable::empty({ac.numel()}, ac.scalar_type(), std::nullopt, ac.device())"),
    ] {
        let (report, _) = checked(&stable(checks, made));
        assert_eq!(safe(&report), (3, 3), "{checks} {made}: {:?} {:?}", report.findings, report.undecided);
    }
    let (report, _) = checked(&stable("", "torch::stable::empty_like(ac)"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 6)], "{:?}", report.undecided);
    let finding = &report.findings[0];
    let (a, b) = (&finding.arguments["a"], &finding.arguments["b"]);
    assert!(a.sizes.iter().product::<i64>() > b.sizes.iter().product::<i64>(), "{a} {b}");
    assert_eq!(finding.witness.as_ref().unwrap().run.operator.as_deref(), Some("ext::op"));
    // The operator's own output is too short: the same rule as for at::Tensor.
    let (report, _) = checked(&stable(by_number, "torch::stable::new_empty(ac, {ac.numel() - 1})"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 6)], "{:?}", report.undecided);
    assert!(report.findings[0].access.array == "r", "{:?}", report.findings);
    // Of what an operation gives that has no model nothing is said.
    let (report, _) = checked(&stable(by_number, "torch::stable::pad(ac, {0, 1})"));
    assert!(
        report.findings.is_empty()
            && report.undecided.iter().any(|u| u.array.contains("mutable_data_ptr") || u.array == "r"),
        "{:?}",
        report.undecided
    );
}
