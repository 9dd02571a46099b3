//! Optional tensors that a loop of the host passes on by value, between kernels whose writes are not summarised.

use super::tensors::checked;
use base::rules::Rule;

const COLOUR: &str = "\
#include <torch/extension.h>
#include <optional>
__device__ bool done_d;
__global__ void init_done() { done_d = true; }
__global__ void color(int64_t *out, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && out[i] < 0) { out[i]++; done_d = false; }
}
__global__ void weigh(int64_t *out, const float *w, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] +=
    w[i] > 0;
}
bool colour(torch::Tensor out) {
  init_done<<<1, 1>>>();
  auto n = out.size(0);
  color<<<(n + 255) / 256, 256>>>(out.data_ptr<int64_t>(), n);
  bool done;
  cudaMemcpyFromSymbol(&done, done_d, sizeof(done), 0, cudaMemcpyDeviceToHost);
  return done;
}
void advance(torch::Tensor out, std::optional<torch::Tensor> w) {
  auto n = out.size(0);
  GUARD
  auto weight = w.value();
  if (weight.scalar_type() == c10::ScalarType::Float)
    weigh<<<(n + 255) / 256, 256>>>(out.data_ptr<int64_t>(), weight.data_ptr<float>(), n);
}
torch::Tensor op(torch::Tensor x, std::optional<torch::Tensor> w) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 1 && x.is_contiguous());
  if (w.has_value()) TORCH_CHECK(w.value().is_cuda() && w.value().dim() == 1 && w.value().is_contiguous() && CHECKED);
  auto out = torch::full(x.size(0), -1, x.options().dtype(c10::ScalarType::Long));
  while (!colour(out)) advance(out, w);
  return out;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

fn colour(guard: &str, check: &str) -> String {
    COLOUR.replace("GUARD", guard).replace("CHECKED", check)
}

#[test]
fn kernels_do_not_write_the_optional_tensors_of_a_caller() {
    for guard in ["if (!w.has_value()) return;", ""] {
        let (report, said) = checked(&colour(guard, "w.value().size(0) == x.size(0)"));
        assert_eq!((report.summary.safe, report.summary.accesses), (6, 6), "{guard}: {}", said.err);
    }
}

#[test]
fn an_optional_tensor_that_is_too_short_is_found_behind_a_loop() {
    for guard in ["if (!w.has_value()) return;", ""] {
        let (report, said) = checked(&colour(guard, "w.value().size(0) + 1 == x.size(0)"));
        let found: Vec<_> = report.findings.iter().map(|f| (f.rule, f.access.position.line)).collect();
        assert_eq!(found, [(Rule::UncheckedArgument, 12)], "{guard}: {}", said.err);
    }
}
