//! Checks that operators lack, as one list for each argument: what one look says is all that has to be mended.

use super::tensors::checked;
use scuba::finding::{Finding, Report, SAME_CHECK};
use scuba::rules::Rule;

/// Of each finding of a missing check the array, the condition, and where else it is missing.
fn told<'a>(report: &'a Report) -> Vec<(&'a str, &'a str, Vec<u32>)> {
    let lines = |f: &Finding| {
        let mut all: Vec<u32> = f.related.iter().filter(|r| r.what == SAME_CHECK).map(|r| r.position.line).collect();
        all.sort_unstable();
        all
    };
    let of = |f: &'a Finding| Some((&*f.access.array, &*f.missing_check.as_ref()?.condition, lines(f)));
    report.findings.iter().filter_map(of).collect()
}

/// Inserts the statements of all proposed checks before `LAUNCH`.
fn mended(source: &str, report: &Report) -> Report {
    let all = report.findings.iter().filter_map(|f| f.missing_check.as_ref()?.statements());
    let all: String = all.flatten().map(|statement| format!("  {statement}\n")).collect();
    assert!(!all.is_empty());
    checked(&source.replace("  // LAUNCH", &all)).0
}

const BANDS: &str = "\
#include <torch/extension.h>
__global__ void bands(const float *in, float *out, uint32_t B, uint32_t C) {
  uint32_t b = threadIdx.x + blockIdx.x * blockDim.x;
  if (b >= B) return;
  in += b * 3;
  out += b * C * C;
  out[0] = in[0] + in[2];
  if (C <= 1) return;
  out[1] = 1;
  out[3] = 3;
  if (C <= 2) return;
  out[8] = 8;
}
void op(at::Tensor in, at::Tensor out, const uint32_t B, const uint32_t C) {
  TORCH_CHECK(in.is_cuda() && out.is_cuda() && in.is_contiguous() && out.is_contiguous() && B < 100000 && C < 9);
  // LAUNCH
  bands<<<(B + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), B, C);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn checks_of_one_argument_are_one_list() {
    let (report, _) = checked(BANDS);
    let list = "out.numel() + C * C > B * C * C && (C <= 1 || out.numel() + C * C >= B * C * C + 4) && \
                (C <= 2 || out.numel() + C * C >= B * C * C + 9)";
    assert_eq!(told(&report), [("out", list, vec![9, 10, 12]), ("in", "in.numel() >= 3 * B", vec![7])]);
    assert_eq!((report.summary.accesses, report.summary.proved), (6, 6), "{:?}", report.summary);
    let mended = mended(BANDS, &report);
    assert_eq!((mended.findings.len(), mended.summary.safe), (0, 6), "{:?}", mended.findings);
}

const TWICE: &str = "\
#include <torch/extension.h>
__global__ void add(const float *x, float *y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) y[i] += x[i];
}
void op(at::Tensor x, at::Tensor w, at::Tensor y, int64_t more) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda() && w.is_cuda() && x.is_contiguous() && y.is_contiguous() && w.is_contiguous());
  int n = y.numel();
  if (n == 0 || y.numel() > 100000) return;
  // LAUNCH
  add<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  if (more > 2) add<<<(n + 255) / 256, 256>>>(w.data_ptr<float>(), y.data_ptr<float>(), n);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn launches_of_one_kernel_that_lack_different_checks_are_told_at_once() {
    let (report, _) = checked(TWICE);
    assert_eq!(
        told(&report),
        [
            ("x", "y.numel() > 100000 || x.numel() >= y.numel()", vec![]),
            ("x", "y.numel() > 100000 || more <= 2 || w.numel() >= y.numel()", vec![]),
        ]
    );
    assert_eq!((report.summary.accesses, report.summary.proved), (2, 1), "{:?}", report.summary);
    let mended = mended(TWICE, &report);
    assert_eq!((mended.findings.len(), mended.summary.safe), (0, 2), "{:?}", mended.findings);
}

/// Two launches with different numbers, one of which happens.
const EITHER: &str = "\
#include <torch/extension.h>
__global__ void fill(float *y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) y[i] = 1;
}
void op(at::Tensor y, int64_t n, int64_t m, int64_t mode) {
  TORCH_CHECK(y.is_cuda() && y.is_contiguous() && n > 0 && m > 0 && n < 100000 && m < 100000);
  // LAUNCH
  if (mode == 1) fill<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), n);
  else fill<<<(m + 255) / 256, 256>>>(y.data_ptr<float>(), m);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn launches_under_different_guards_are_told_at_once() {
    let (report, _) = checked(EITHER);
    let told = told(&report);
    assert_eq!(told.len(), 1, "{told:?}");
    for part in ["mode != 1 || y.numel() >= n", "mode == 1 || y.numel() >= m"] {
        assert!(told[0].1.contains(part), "{told:?}");
    }
    let mended = mended(EITHER, &report);
    assert_eq!((mended.findings.len(), mended.summary.safe), (0, 1), "{:?}", mended.findings);
}

const ACCESSORS: &str = "\
#include <torch/extension.h>
__global__ void project(const torch::PackedTensorAccessor32<float, 2> poses, const torch::PackedTensorAccessor32<float, 1> lens,
                        torch::PackedTensorAccessor32<float, 2> out) {
  __shared__ float f[4], t[3], q[4];
  int k = threadIdx.x;
  if (k == 0) {
    f[0] = lens[0];
    f[1] = lens[1];
    f[2] = lens[2];
    f[3] = lens[3];
  }
  __syncthreads();
  if (k < 3) t[k] = poses[blockIdx.x][k];
  if (k < 4) q[k] = poses[blockIdx.x][k + 3];
  __syncthreads();
  if (k < 4) out[blockIdx.x][k] = f[k] + q[k] + t[k % 3];
}
at::Tensor op(at::Tensor poses, at::Tensor lens, int64_t n) {
  TORCH_CHECK(poses.is_cuda() && lens.is_cuda() && n > 0 && n < 10000);
  at::Tensor out = torch::zeros({n, 4}, poses.options());
  // LAUNCH
  project<<<n, 256>>>(poses.packed_accessor32<float, 2>(), lens.packed_accessor32<float, 1>(), out.packed_accessor32<float, 2>());
  return out;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn an_index_of_a_dimension_needs_its_size_whatever_the_strides_are() {
    let (report, _) = checked(ACCESSORS);
    assert_eq!(
        told(&report),
        [
            ("lens", "lens.size(0) >= 4", vec![7, 9, 10]),
            ("poses", "poses.size(0) >= n && poses.size(1) >= 7", vec![14]),
        ]
    );
    let mended = mended(ACCESSORS, &report);
    // A stride may exceed 32 bits.
    let left: Vec<_> = mended.findings.iter().filter(|f| f.rule != Rule::IndexOverflow).collect();
    assert!(left.is_empty() && mended.summary.unknown == 0, "{left:?}");
}

const FILL: &str = "\
#include <torch/extension.h>
__global__ void fill(float *out, int64_t B, int64_t C) {
  int64_t b = threadIdx.x + int64_t(blockIdx.x) * blockDim.x;
  if (b >= B) return;
  for (int64_t c = 0; c < C; c++) out[b * C + c] = 1;
}
void op(at::Tensor out, TYPE B, TYPE C) {
  TORCH_CHECK(out.is_cuda() && out.is_contiguous());
  if (B <= 0) return;
  // LAUNCH
  fill<<<(B + 255ll) / 256, 256>>>(out.data_ptr<float>(), B, C);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_proposed_check_does_not_wrap_itself() {
    for of in ["uint32_t", "int64_t", "int"] {
        let source = FILL.replace("TYPE", of);
        let (report, _) = checked(&source);
        assert_eq!(told(&report), [("out", "out.numel() >= B * C", vec![])], "{of}");
        let mended = mended(&source, &report);
        assert_eq!((mended.findings.len(), mended.summary.safe), (0, 1), "{of}: {:?}", mended.findings);
    }
}
