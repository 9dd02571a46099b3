//! Operations of PyTorch that may refuse their arguments: what a replay reaches behind one is proved only where a model says for which arguments the
//! operation throws.

use super::tensors::{checked, proved};
use scuba::finding::{Report, Verdict};
use scuba::rules::Rule;

/// Reads the first element, which a tensor without elements has not, and one that no tensor has.
const FIRST: &str = "\
#include <torch/extension.h>
__global__ void first(const float *x, float *y, int64_t at) { y[0] = x[at]; }
torch::Tensor op(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 1);
  auto y = torch::empty({1}, x.options());
  BEFORE
  first<<<1, 1>>>(x.data_ptr<float>(), y.data_ptr<float>(), AT);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

fn of(before: &str, at: &str) -> Report {
    checked(&FIRST.replace("BEFORE", before).replace("AT", at)).0
}

/// Verdicts of what is found, and why a replay does not prove it.
fn told(report: &Report) -> Vec<(Verdict, String)> {
    report.findings.iter().map(|f| (f.verdict, f.assumptions.join("; "))).collect()
}

/// Operations of which nothing is known: by the dispatcher, in place, with two results, and functions without a body.
const UNKNOWN: &[(&str, &str)] = &[
    ("at::_ops::cholesky::call(x, false);", "at::cholesky"),
    ("at::_ops::slogdet::call(x);", "at::slogdet"),
    ("at::_ops::erfinv_::call(x);", "at::erfinv_"),
    ("at::logdet(x);", "at::logdet"),
];

#[test]
fn what_a_replay_reaches_behind_an_unknown_operation_is_possible() {
    for at in ["0", "x.numel()"] {
        assert_eq!(proved(&of("", at)).len(), 1, "{at}");
        for (before, name) in UNKNOWN {
            let report = of(before, at);
            let told = told(&report);
            let [(Verdict::Possible, why)] = told.as_slice() else {
                panic!("{before} {at}: {told:?} {:?}", report.undecided)
            };
            assert!(why.contains(&format!("whether `{name}` accepts these arguments")), "{before} {at}: {why}");
            // The other access is as safe as without.
            assert_eq!((report.summary.safe, report.summary.accesses), (1, 2), "{before} {at}");
        }
    }
}

#[test]
fn what_throws_for_tensors_without_elements_is_a_check() {
    for before in ["x.max();", "at::_ops::min::call(x);", "at::_ops::argmax::call(x, std::nullopt, false);"] {
        let report = of(before, "0");
        assert_eq!((told(&report), report.summary.safe), (vec![], 2), "{before}: {:?}", report.undecided);
        let report = of(before, "x.numel()");
        assert_eq!(proved(&report).len(), 1, "{before}: {:?} {:?}", told(&report), report.undecided);
    }
}

#[test]
fn what_accepts_any_real_tensor_leaves_proofs_alone() {
    for before in [
        "at::_ops::sum::call(x, std::nullopt);",
        "at::_ops::any::call(x);",
        "at::_ops::matmul::call(x, x);",
        "at::_ops::nonzero::call(x);",
    ] {
        for at in ["0", "x.numel()"] {
            let report = of(before, at);
            assert_eq!(proved(&report).len(), 1, "{before} {at}: {:?} {:?}", told(&report), report.undecided);
        }
    }
}

/// The number of an operation that is modelled, as a type that holds every one.
#[test]
fn what_the_number_of_an_operation_is_leaves_proofs_alone() {
    let of_made = |number: &str| {
        of(
            &format!("auto g = torch::empty({{3}}, x.options().dtype(torch::kInt64)); auto n = g.max().{number};"),
            "x.numel()",
        )
    };
    for number in ["item().toLong()", "item<int64_t>()"] {
        let report = of_made(number);
        assert_eq!(proved(&report).len(), 1, "{number}: {:?} {:?}", told(&report), report.undecided);
    }
    // Not every one is an int.
    let report = of_made("item<int>()");
    assert_eq!(proved(&report), [], "{:?}", told(&report));
}

#[test]
fn what_an_operation_throws_may_be_caught() {
    let caught = "int64_t at = 0; try { at::_ops::cholesky::call(x, false); } catch (...) { at = 1; }";
    let report = of(caught, "at + x.numel()");
    assert_eq!(proved(&report), [], "{:?}", told(&report));
    assert_eq!(report.summary.safe, 1);
    // Where it throws, the index is 1.
    for operation in ["at::_ops::cholesky::call(x, false);", "at::logdet(x);", "at::_ops::max::call(x);"] {
        let caught =
            format!("TORCH_CHECK(x.numel() == 1); int64_t at = 0; try {{ {operation} }} catch (...) {{ at = 1; }}");
        let report = of(&caught, "at");
        assert_eq!((proved(&report).len(), report.summary.safe), (0, 1), "{operation}: {:?}", told(&report));
    }
}

/// A check of the greatest and the smallest element bounds each of them.
#[test]
fn what_is_checked_of_the_extreme_elements_decides() {
    let source = "\
#include <torch/extension.h>
__global__ void take(float *y, const float *x, const int64_t *at) { y[0] = x[at[0]]; }
torch::Tensor op(torch::Tensor x, torch::Tensor at) {
  TORCH_CHECK(x.is_cuda() && at.is_cuda() && x.is_contiguous() && at.is_contiguous() && at.numel() == 1);
  CHECKED
  auto y = torch::empty({1}, x.options());
  take<<<1, 1>>>(y.data_ptr<float>(), x.data_ptr<float>(), at.data_ptr<int64_t>());
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";
    assert_eq!(proved(&checked(&source.replace("CHECKED", "")).0).len(), 1);
    for check in [
        "TORCH_CHECK(at.max().item<int64_t>() < x.numel() && at.min().item<int64_t>() >= 0);",
        "if (at.max().item<int64_t>() >= x.numel() || at.min().item<int64_t>() < 0) throw std::runtime_error(\"at\");",
    ] {
        let (report, _) = checked(&source.replace("CHECKED", check));
        assert_eq!(proved(&report), [], "{check}: {:?}", told(&report));
        let typed = format!("TORCH_CHECK(at.scalar_type() == torch::kInt64); {check}");
        let (report, _) = checked(&source.replace("CHECKED", &typed));
        assert_eq!((told(&report), report.summary.safe), (vec![], 3), "{check}: {:?}", report.undecided);
    }
    // One that lets a number through, of a bound or of an end, is no such check; nor is one of another tensor.
    for check in [
        "TORCH_CHECK(at.max().item<int64_t>() <= x.numel() && at.min().item<int64_t>() >= 0);",
        "TORCH_CHECK(at.max().item<int64_t>() < x.numel() && at.min().item<int64_t>() >= -1);",
        "TORCH_CHECK(at.max().item<int64_t>() < x.numel() && at.max().item<int64_t>() >= 0); at.clamp_(-1, 5);",
    ] {
        let typed = format!("TORCH_CHECK(at.scalar_type() == torch::kInt64); {check}");
        let (report, _) = checked(&source.replace("CHECKED", &typed));
        assert!(report.summary.safe < 3, "{check}: {:?}", told(&report));
    }
    for (check, proofs) in [
        ("TORCH_CHECK(at.max().item<int64_t>() <= x.numel() && at.min().item<int64_t>() >= 0);", 1),
        ("TORCH_CHECK(at.max().item<int64_t>() < x.numel());", 1),
    ] {
        let (report, _) = checked(&source.replace("CHECKED", check));
        assert_eq!(proved(&report).len(), proofs, "{check}: {:?} {:?}", told(&report), report.undecided);
    }
}

#[test]
fn a_part_that_a_replay_skips_may_refuse_too() {
    // What is compared is not known.
    let skipped = "if (at::_ops::sum::call(x, std::nullopt).item<int64_t>() > 0) at::_ops::cholesky::call(x, false);";
    let report = of(skipped, "x.numel()");
    assert_eq!(proved(&report), [], "{:?}", told(&report));
    assert!(report.findings.iter().all(|f| f.rule == Rule::UncheckedArgument || f.rule == Rule::OobGlobal));
}

/// Two tensors that a kernel uses, behind checks.
const CHECKED: &str = "\
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>
__global__ void copy(float *p, const float *q, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = q[i];
}
void op(torch::Tensor x, torch::Tensor y) {
  DEVICES
  SHAPES
  if (x.numel() > 0) copy<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

const SHAPES: &str = "TORCH_CHECK(x.is_contiguous() && y.is_contiguous() && x.numel() == y.numel());";

fn behind(devices: &str, shapes: &str) -> Report {
    checked(&CHECKED.replace("DEVICES", devices).replace("SHAPES", shapes)).0
}

#[test]
fn a_guard_of_cudas_devices_refuses_a_tensor_of_the_host() {
    for devices in [
        "at::cuda::OptionalCUDAGuard a(at::device_of(x)), b(device_of(y));",
        "c10::cuda::CUDAGuard a(x.device()), b(y.device());",
        "c10::cuda::CUDAGuard a(0); a.set_device(x.device()); a.set_device(y.device());",
        "at::cuda::OptionalCUDAGuard a; a.set_device(x.device()); TORCH_CHECK(y.device().is_cuda());",
        "at::checkAllSameGPU(\"op\", {at::TensorArg(x, \"x\", 1), at::TensorArg(y, \"y\", 2)});",
        "at::checkSameGPU(\"op\", at::TensorArg(x, \"x\", 1), at::TensorArg(y, \"y\", 2));",
        "at::checkDeviceType(\"op\", {x, y}, torch::kCUDA);",
    ] {
        let report = behind(devices, SHAPES);
        assert_eq!((told(&report), report.summary.safe), (vec![], 2), "{devices}: {:?}", report.undecided);
    }
    // A guard of any device takes the host's, too, and one tensor alone is compared with nothing.
    for devices in [
        "c10::DeviceGuard a(x.device()), b(y.device());",
        "c10::cuda::CUDAGuard a(0), b(x.device());",
        "c10::cuda::OptionalCUDAGuard a(std::nullopt);",
        "at::checkAllSameGPU(\"op\", {at::TensorArg(x, \"x\", 1)});",
    ] {
        let report = behind(devices, SHAPES);
        assert_eq!((report.findings.len(), report.summary.safe), (1, 2), "{devices}: {:?}", told(&report));
    }
}

#[test]
fn checks_of_shapes_are_checks() {
    let devices = "TORCH_CHECK(x.is_cuda() && y.is_cuda());";
    let contiguous = "at::checkContiguous(\"op\", at::TensorArg(x, \"x\", 1)); at::checkContiguous(\"op\", at::TensorArg(y, \"y\", 2));";
    for shapes in [
        "at::checkNumel(\"op\", at::TensorArg(y, \"y\", 2), x.numel());",
        "at::checkDim(\"op\", x, \"x\", 1, 1); at::checkDim(\"op\", at::TensorArg(y, \"y\", 2), 1); at::checkSize(\"op\", at::TensorArg(y, \"y\", 2), 0, x.size(0));",
        "at::checkDimRange(\"op\", at::TensorArg(x, \"x\", 1), 1, 3); at::checkDim(\"op\", at::TensorArg(x, \"x\", 1), 1); at::checkSize(\"op\", at::TensorArg(y, \"y\", 2), x.sizes());",
        "at::check_dim_size(x, 1, 0, 64); at::check_dim_size(y, 1, 0, 64);",
    ] {
        let report = behind(devices, &format!("{contiguous} {shapes}"));
        assert_eq!((told(&report), report.summary.safe), (vec![], 2), "{shapes}: {:?}", report.undecided);
    }
    for shapes in ["", "at::checkSameDim(\"op\", at::TensorArg(x, \"x\", 1), at::TensorArg(y, \"y\", 2));"] {
        let report = behind(devices, &format!("{contiguous} {shapes}"));
        assert_eq!(proved(&report).len(), 1, "{shapes}: {:?}", told(&report));
    }
}
