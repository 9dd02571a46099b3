//! Copies and fills of tensors that an operator makes itself, by the CUDA runtime.

use super::tensors::{checked, proved};
use base::rules::Rule;

const FILL: &str = "\
#include <torch/extension.h>
__global__ void add(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i % 4] += x[i];
}
at::Tensor op(at::Tensor x, at::Tensor out) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && out.is_cuda() && out.is_contiguous() && out.numel() >= 4);
  CHECKS
  int n = x.numel();
  if (n == 0) return out;
  CALL;
  add<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

const CALLS: [&str; 2] = [
    "cudaMemsetAsync(out.data_ptr<float>(), 0, n * sizeof(float), 0)",
    "cudaMemcpyAsync(out.data_ptr<float>(), x.data_ptr<float>(), n * sizeof(float), cudaMemcpyDeviceToDevice, 0)",
];

#[test]
fn a_tensor_that_is_filled_beyond_its_end_is_found() {
    for call in CALLS {
        let (report, said) = checked(&FILL.replace("CALL", call).replace("CHECKS", ""));
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, 11)], "{call}: {}", said.err);
        let found = &report.findings[0];
        assert_eq!(found.access.array, "out");
        let numel = |name: &str| found.arguments[name].sizes.iter().product::<i64>();
        assert!(numel("out") < numel("x"), "{:?}", found.arguments);
    }
}

#[test]
fn a_tensor_that_is_long_enough_is_not_found() {
    for call in CALLS {
        let (report, said) =
            checked(&FILL.replace("CALL", call).replace("CHECKS", "TORCH_CHECK(out.numel() >= x.numel());"));
        assert_eq!(report.findings.len(), 0, "{call}: {}", said.err);
        assert_eq!(report.summary.unknown, 0, "{call}: {:?}", report.undecided);
    }
}
