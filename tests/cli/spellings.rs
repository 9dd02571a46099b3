//! Tensors by other spellings than `data_ptr`: accessors that kernels index by dimension, pointers to what is not written, and the stable ABI. The headers
//! are ours, with PyTorch's names (`tests/support/include`).

use super::tensors::{checked, proved};
use scuba::report::finding::Report;
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

fn safe(report: &Report) -> (usize, usize) {
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
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{width:?}: {:?}", report.undecided);
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
