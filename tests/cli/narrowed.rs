//! Operators that convert what an index tensor holds to a narrower type.

use super::tensors::{checked, proved};
use scuba::finding::Report;
use scuba::rules::Rule;

const TAKE: &str = "\
#include <torch/extension.h>
__global__ void take(const float *x, const int64_t *idx, float *y, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[INDEX];
  }
}
torch::Tensor op(torch::Tensor x, torch::Tensor idx) {
  TORCH_CHECK(x.is_cuda() && x.dim() == RANK && x.is_contiguous() && x.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(idx.is_cuda() && idx.dim() == 1 && idx.is_contiguous() && idx.scalar_type() == at::ScalarType::Long);
  auto y = torch::empty({idx.size(0)}, x.options());
  int n = idx.size(0);
  TORCH_CHECK(n <= 100000);
  if (n == 0) return y;
  CHECKS
  take<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), idx.data_ptr<int64_t>(), y.data_ptr<float>(), n, x.size(RANK - 1));
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

fn of(index: &str, rank: u32, checks: &str) -> Report {
    let source = TAKE.replace("INDEX", index).replace("CHECKS", checks).replace("RANK", &rank.to_string());
    checked(&source).0
}

const IN_BOUNDS: &str = "TORCH_CHECK(idx.min().item<int64_t>() >= 0 && idx.max().item<int64_t>() < x.size(0));";

#[test]
fn what_an_operator_relies_on_includes_that_conversions_keep_elements() {
    for (index, rank, keeps) in [
        ("idx[i]", 1, None),
        ("(int)idx[i]", 1, Some("x.size(0) <= 2147483648")),
        ("(short)idx[i]", 1, Some("x.size(0) <= 32768")),
        ("(unsigned)idx[i]", 1, Some("x.size(0) <= 4294967296")),
        ("(short)(int)idx[i]", 1, Some("x.size(0) <= 32768")),
        ("(short)(idx[i] + 1) - 1", 1, Some("x.size(0) <= 32767")),
        ("(int64_t)(int)idx[i] * d", 2, Some("x.size(0) <= 2147483648")),
    ] {
        let relies_on = |checks| {
            let report = of(index, rank, &format!("TORCH_CHECK(x.size(RANK - 1) > 0); {checks}"));
            assert_eq!(proved(&report), [(Rule::DataIndex, 5)], "{index}: {:?}", report.undecided);
            report.findings[0].missing_check.as_ref().map(|m| m.condition.clone())
        };
        let each = "forall i in [0, idx.size(0)): idx[i] >= 0 && x.size(0) > idx[i]";
        let both = keeps.map_or_else(|| each.to_owned(), |keeps| format!("{keeps} && ({each})"));
        assert_eq!(relies_on(""), Some(both), "{index}");
        // The lowest bits of a number that is not negative are no more than it; a sum that wraps is a finding of its own.
        if keeps.is_some() && rank == 1 && !index.contains("unsigned") && !index.contains('+') {
            assert_eq!(relies_on(IN_BOUNDS).as_deref(), keeps, "{index}");
        }
    }
}

#[test]
fn bounds_of_elements_bound_what_is_converted_only_if_they_fit() {
    for (index, safe, wrong) in [
        ("(short)idx[i]", "x.size(0) <= 32768", Some("x.size(0) <= 32769")),
        ("(int)idx[i]", "x.size(0) <= 2147483648", Some("x.size(0) <= 2147483649")),
        ("(unsigned char)idx[i]", "true", None),
    ] {
        let with = |check: &str| of(index, 1, &format!("{IN_BOUNDS} TORCH_CHECK({check});"));
        let report = with(safe);
        let s = &report.summary;
        assert_eq!((s.accesses, s.safe), (3, 3), "{index}: {:?} {:?}", report.findings, report.undecided);
        if let Some(wrong) = wrong {
            assert_eq!(proved(&with(wrong)), [(Rule::DataIndex, 5)], "{index}");
        }
    }
}
