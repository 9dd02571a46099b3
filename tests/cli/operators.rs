//! Operators of PyTorch extensions: what is there before they are called, and what they are given beside sizes and contents of tensors.

use super::tensors::{checked, proved};
use super::{Project, Said};
use scuba::finding::{HeldValue, Report, Verdict};
use scuba::rules::{Level, Rule};

/// A reduction by name, whose table is filled when the library is loaded; only `least` goes out of bounds.
const BY_NAME: &str = "\
#include <torch/extension.h>
#include <map>
#include <string>
enum Reduction { SUM, MEAN, LEAST };
BEFORE
const std::map<std::string, Reduction> by_name = {{\"sum\", SUM}, {\"mean\", MEAN}, {\"least\", FILLED}};
__global__ void copy(float *p, const float *q, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = q[i];
}
torch::Tensor reduce(torch::Tensor x, torch::Tensor y, std::string name) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda() && x.is_contiguous() && y.is_contiguous());
  if (by_name.at(name) != LEAST) TORCH_CHECK(x.numel() == y.numel());
  if (x.numel() > 0) copy<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return x;
}
PYBIND11_MODULE(ext, m) { m.def(\"reduce\", &reduce); }
";

fn by_name(before: &str, filled: &str) -> String {
    BY_NAME.replace("BEFORE", before).replace("FILLED", filled)
}

#[test]
fn variables_are_initialised_before_an_operator_is_called_and_its_strings_are_chosen() {
    let (report, _) = checked(&by_name("", "LEAST"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 9)], "{:?}", report.undecided);
    let held = &report.findings[0].witness.as_ref().unwrap().run.held;
    let given =
        held.iter().find_map(|h| if let HeldValue::Text(t) = &h.what { Some((&*h.object, &**t)) } else { None });
    assert_eq!(given, Some(("name", "least")));
    // Nobody can ask for it then.
    let (report, _) = checked(&by_name("", "MEAN"));
    assert_eq!(proved(&report), [], "{:?}", report.findings);
}

#[test]
fn what_an_initialiser_leaves_open_proves_nothing() {
    // What the table holds is for code outside to say.
    let (report, _) = checked(&by_name("Reduction told();", "told()"));
    assert_eq!(proved(&report), [], "{:?}", report.findings);
    assert_eq!(report.summary.unknown, 1, "{:?}", report.findings);
    // What initialises a variable that the operator does not come to is not looked at.
    let (report, _) = checked(&by_name("Reduction told(); Reduction other = told();", "LEAST"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 9)], "{:?}", report.undecided);
}

/// Two tensors, of which a kernel reads one and writes the other.
const COPY: &str = "\
#include <torch/extension.h>
__global__ void copy(float *p, const float *q, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = q[i];
}
torch::Tensor twice(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.is_contiguous() && y.is_contiguous() && x.numel() == y.numel());
  CHECKS
  if (x.numel() > 0) {
    copy<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
    copy<<<(x.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), x.numel());
  }
  return x;
}
torch::Tensor one(torch::Tensor x) { return twice(x, x); }
";
const BOUND: &str = "PYBIND11_MODULE(ext, m) { m.def(\"twice\", &twice); }\n";

/// Lines, levels and missing checks of what is found.
fn found(report: &Report) -> Vec<(u32, Level, &str)> {
    report
        .findings
        .iter()
        .map(|f| (f.access.position.line, f.level, f.missing_check.as_ref().map_or("", |m| m.condition.as_str())))
        .collect()
}

#[test]
fn a_tensor_of_the_host_that_reaches_a_kernel_is_told_once() {
    let (report, said) = checked(&(COPY.replace("CHECKS", "") + BOUND));
    assert_eq!(found(&report), [(10, Level::Warn, "x.is_cuda() && y.is_cuda()")], "{:?}", report.findings);
    let finding = &report.findings[0];
    // Some systems let kernels do this.
    assert_eq!((finding.rule, finding.verdict, said.status), (Rule::UncheckedArgument, Verdict::Possible, 0));
    assert!(finding.arguments.values().any(|t| !t.on_device), "{:?}", finding.arguments);
    // The accesses themselves stay within bounds.
    let s = &report.summary;
    assert_eq!((s.safe, s.possible, s.unknown), (2, 1, 0));
}

#[test]
fn the_check_names_tensors_that_a_kernel_seldom_uses() {
    let seldom = COPY.replace("if (i < n)", "if (i < n && sinf(q[i]) == 0.625f)").replace("CHECKS", "");
    let (report, _) = checked(&(seldom.clone() + BOUND));
    assert_eq!(found(&report), [(10, Level::Warn, "x.is_cuda() && y.is_cuda()")], "{:?}", report.findings);
    let (report, _) = checked(&(seldom.replace("if (x.numel() > 0) {", "if (y.is_cuda()) {") + BOUND));
    assert_eq!(found(&report), [(11, Level::Warn, "x.is_cuda()")], "{:?}", report.findings);
}

#[test]
fn where_devices_are_checked_nothing_is_said_of_them() {
    for checks in [
        "TORCH_CHECK(x.is_cuda() && y.is_cuda());",
        "TORCH_CHECK(x.device().is_cuda()); TORCH_CHECK(y.device() == x.device());",
        "if (!x.is_cuda() || !y.is_cuda()) return x;",
        "at::checkAllSameGPU(\"twice\", {at::TensorArg(x, \"x\", 1), at::TensorArg(y, \"y\", 2)});",
    ] {
        let (report, _) = checked(&(COPY.replace("CHECKS", checks) + BOUND));
        assert_eq!(found(&report), [], "{checks}: {:?}", report.findings);
    }
    let (report, _) = checked(&(COPY.replace("CHECKS", "TORCH_CHECK(y.is_cuda());") + BOUND));
    assert_eq!(found(&report), [(10, Level::Warn, "x.is_cuda()")], "{:?}", report.findings);
}

#[test]
fn the_dispatcher_calls_an_implementation_for_devices_only_with_a_tensor_of_one() {
    let registered = |name: &str| format!("TORCH_LIBRARY_IMPL(ext, CUDA, m) {{ m.impl(\"{name}\", &{name}); }}\n");
    let (report, _) = checked(&(COPY.replace("CHECKS", "") + &registered("one")));
    assert_eq!(found(&report), [], "{:?}", report.findings);
    let (report, _) = checked(&(COPY.replace("CHECKS", "") + &registered("twice")));
    assert_eq!(found(&report), [(10, Level::Warn, "x.is_cuda() && y.is_cuda()")], "{:?}", report.findings);
    // Then the other one is the device's.
    let arguments = &report.findings[0].arguments;
    assert!(arguments.values().any(|t| t.on_device) && arguments.values().any(|t| !t.on_device), "{arguments:?}");
}

/// An operator with a list of tensors, of which nobody checks that they are as long as one another, and a string.
const LIST: &str = "\
#include <torch/extension.h>
#include <string>
#include <vector>
__global__ void copy(float *y, const float *x, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
size_t none() {
  std::vector<torch::Tensor> list;
  return list.size();
}
void op(LIST xs, std::string mode, bool twice) {
  TORCH_CHECK(xs.size() == 2);
  TORCH_CHECK(xs[0].is_contiguous() && xs[0].is_cuda() && xs[1].is_contiguous() && xs[1].is_cuda());
  if (mode != \"copy\" || xs[0].numel() == 0) return;
  copy<<<(xs[0].numel() + 255) / 256, 256>>>(xs[0].data_ptr<float>(), xs[1].data_ptr<float>(), xs[0].numel());
}
TORCH_LIBRARY(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn the_script_of_a_finding_makes_lists_and_strings() {
    for list in ["const std::vector<torch::Tensor> &", "std::vector<at::Tensor>"] {
        let p = Project::new();
        p.write("k.cu", &LIST.replace("LIST", list));
        let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
        let mut c = p.command();
        c.args(["confirm", "k.cu", "-D", "unchecked-argument", "--bundle", "b", "--", "-std=c++17", &include]);
        let said = Said::from(c.output().unwrap());
        let scripts: Vec<_> = std::fs::read_dir(p.root().join("b"))
            .unwrap_or_else(|_| panic!("{list}: {said:?}"))
            .map(|f| f.unwrap().path())
            .collect();
        let script = scripts.iter().find(|f| f.extension().is_some_and(|e| e == "py"));
        let text = std::fs::read_to_string(script.unwrap_or_else(|| panic!("{list}: {said:?}"))).unwrap();
        let (_, case) = text.split_once("r'''").unwrap();
        let case: serde_json::Value = serde_json::from_str(case.split_once("'''").unwrap().0).unwrap();
        let elements = |t: &serde_json::Value| -> i64 {
            t["tensor"]["sizes"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).product()
        };
        let arguments = case["arguments"].as_array().unwrap();
        assert_eq!(arguments.len(), 3, "{list}: {case}");
        let made = arguments[0]["list"].as_array().unwrap();
        assert_eq!(made.len(), 2, "{list}: {case}");
        assert!(elements(&made[1]) < elements(&made[0]), "{list}: {case}");
        assert_eq!(arguments[1]["value"], "copy", "{list}: {case}");
    }
}

/// What is checked where gradients are recorded is not checked where they are not, and the other way round.
#[test]
fn gradients_are_recorded_or_not_as_the_caller_has_set_it() {
    let source = "\
#include <torch/csrc/autograd/custom_function.h>
__global__ void copy(float *p, const float *q, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = q[i];
}
torch::Tensor op(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda() && x.is_contiguous() && y.is_contiguous());
  if (WHEN) TORCH_CHECK(x.numel() == y.numel());
  if (x.numel() > 0) copy<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return x;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";
    let (report, _) = checked(&source.replace("WHEN", "c10::GradMode::is_enabled()"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 4)], "{:?}", report.undecided);
    let (report, _) = checked(&source.replace("WHEN", "!c10::GradMode::is_enabled()"));
    assert_eq!((report.summary.accesses, report.summary.safe), (2, 1), "{:?}", report.findings);
    let (report, _) = checked(&source.replace("WHEN", "true"));
    assert_eq!((report.summary.accesses, report.summary.safe), (2, 2), "{:?} {:?}", report.findings, report.undecided);
}
