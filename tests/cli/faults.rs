//! Programs on which the analysis had a fault of its own, which loses a whole program.

use super::tensors::{checked, proved};
use scuba::rules::Rule;

#[test]
fn a_choice_by_a_float_of_a_tensor_is_no_number_in_a_proposed_check() {
    let (report, _) = checked(
        "\
#include <torch/extension.h>
__global__ void keep(const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  if (in[i] < 0) return;
  out[i] = 1.0f;
}
void op(at::Tensor in, at::Tensor out) {
  int n = in.size(0);
  keep<<<1, 128>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
",
    );
    assert_eq!(
        proved(&report),
        [(Rule::UncheckedArgument, 5), (Rule::UncheckedArgument, 6)],
        "{:?} {:?}",
        report.findings,
        report.undecided
    );
}

#[test]
fn a_tensor_made_where_another_one_is_may_lie_on_the_host() {
    let of = |checks: &str, made: &str| {
        let source = "\
#include <torch/extension.h>
__global__ void fill(float *y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = 1;
}
void op(at::Tensor x) {
  TORCH_CHECK(x.is_contiguous() && x.scalar_type() == at::ScalarType::Float);
  CHECKS
  auto y = MADE;
  int n = x.numel();
  if (n > 0 && n < 100000) fill<<<(n + 127) / 128, 128>>>(y.data_ptr<float>(), n);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";
        checked(&source.replace("CHECKS", checks).replace("MADE", made)).0
    };
    for made in ["at::zeros_like(x)", "at::empty({x.numel()}, x.options())"] {
        for checks in ["", "TORCH_CHECK(!x.is_cuda());"] {
            let report = of(checks, made);
            let said: Vec<&str> = report.findings.iter().map(|f| &*f.message).collect();
            assert_eq!(said, ["`fill` is launched on host memory if `x` is a host tensor"], "{made} {checks}");
        }
        let report = of("TORCH_CHECK(x.is_cuda());", made);
        assert_eq!((report.findings.len(), report.summary.safe), (0, 1), "{made}: {:?}", report.undecided);
    }
}
