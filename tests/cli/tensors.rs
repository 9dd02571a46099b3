//! Operators of PyTorch extensions: entry points by their registration, the shapes of tensors, arguments that their checks let through. The headers are
//! ours, with ATen's names (`tests/support/include`).

use super::{Project, Said};
use scuba::finding::{Report, Verdict};
use scuba::rules::{Level, Rule};

const SCALE: &str = "\
#include <torch/extension.h>
__global__ void scale_kernel(float *y, const float *x, const float *w, int64_t n, int64_t c) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n * c) {
    float f = w[i % c];
    y[i] = f * x[i];
  }
}
torch::Tensor scale(torch::Tensor x, const torch::Tensor &w) {
  CHECKS
  auto y = MADE;
  int64_t n = x.size(0), c = x.size(1);
  if (n * c == 0) return y;
  scale_kernel<<<(n * c + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), w.data_ptr<float>(), n, c);
  return y;
}
";

pub(super) const PYBIND: &str = "PYBIND11_MODULE(ext, m) { m.def(\"scale\", &scale, \"scales rows\"); }\n";

pub(super) const ALL: &str = "TORCH_CHECK(x.dim() == 2 && x.is_contiguous()); TORCH_CHECK(w.dim() == 1 && w.is_contiguous() && w.size(0) == x.size(1)); TORCH_CHECK(x.is_cuda() && w.is_cuda());";

pub(super) fn checked(source: &str) -> (Report, Said) {
    checked_under(source, "")
}

/// The same with settings.
fn checked_under(source: &str, settings: &str) -> (Report, Said) {
    let p = Project::new();
    p.write("k.cu", source);
    p.write("scuba.toml", settings);
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    let mut c = p.command();
    c.args(["check", "k.cu", "--message-format", "json", "--", "-std=c++17", &include]);
    let said = Said::from(c.output().unwrap());
    let report: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
    assert!(report.not_analysed.is_empty(), "{:?}", report.not_analysed);
    (report, said)
}

pub(super) fn scale(checks: &str, made: &str, registration: &str) -> String {
    SCALE.replace("CHECKS", checks).replace("MADE", made) + registration
}

/// Rules and lines of what is proved.
pub(super) fn proved(report: &Report) -> Vec<(Rule, u32)> {
    let all = report.findings.iter().filter(|f| f.verdict == Verdict::Proved);
    all.map(|f| (f.rule, f.access.position.line)).collect()
}

#[test]
fn an_operator_with_all_its_checks_is_safe() {
    for made in [
        "torch::empty_like(x)",
        "torch::empty({x.size(0), x.size(1)}, x.options())",
        "torch::zeros({x.numel()}, x.options())",
    ] {
        let (report, _) = checked(&scale(ALL, made, PYBIND));
        let s = &report.summary;
        assert_eq!((s.accesses, s.safe), (3, 3), "{made}: {:?} {:?}", report.findings, report.undecided);
    }
}

#[test]
fn a_tensor_made_without_a_device_lies_on_the_host() {
    let (report, said) = checked(&scale(ALL, "torch::zeros({x.numel()})", PYBIND));
    let found: Vec<_> = report.findings.iter().map(|f| (f.rule, f.verdict, f.access.position.line)).collect();
    assert_eq!(found, [(Rule::InvalidPointer, Verdict::Possible, 6)], "{:?}", report.undecided);
    assert_eq!((report.summary.safe, said.status), (2, 0));
}

#[test]
fn a_missing_check_is_found_with_tensors_that_show_it() {
    let checks = "TORCH_CHECK(x.dim() == 2 && x.is_contiguous()); TORCH_CHECK(w.dim() == 1 && w.is_contiguous());";
    let (report, said) = checked(&scale(checks, "torch::empty_like(x)", PYBIND));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{:?}", report.undecided);
    let finding = &report.findings[0];
    // It warns by default.
    assert_eq!((finding.level, said.status), (Level::Warn, 0));
    let (w, x) = (&finding.arguments["w"], &finding.arguments["x"]);
    assert_eq!((w.dtype.as_str(), w.sizes.len(), x.sizes.len()), ("float32", 1, 2));
    assert!(w.sizes[0] < x.sizes[1], "{w} {x}");
    assert_eq!(finding.witness.as_ref().unwrap().run.operator.as_deref(), Some("scale"));
}

#[test]
fn layouts_and_ranks_are_arguments_too() {
    // A tensor that was expanded has less memory than elements.
    let strided = ALL.replacen(" && x.is_contiguous()", "", 1);
    let (report, _) = checked(&scale(&strided, "torch::empty({x.size(0), x.size(1)}, x.options())", PYBIND));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 6)], "{:?}", report.undecided);
    let x = &report.findings[0].arguments["x"];
    assert!(!x.is_packed(), "{x}");
    // One more dimension may be empty.
    let any_rank = ALL.replacen("x.dim() == 2 && ", "", 1);
    let (report, _) = checked(&scale(&any_rank, "torch::empty_like(x)", PYBIND));
    assert!(report.findings.iter().all(|f| f.rule == Rule::UncheckedArgument), "{:?}", report.findings);
    assert!(report.findings.iter().any(|f| f.arguments["x"].sizes.len() > 2), "{:?}", report.findings);
}

#[test]
fn what_is_wrong_with_arguments_that_agree_fails_the_check() {
    // The operator's own output is a row short, whoever calls it.
    let (report, said) = checked(&scale(ALL, "torch::empty({(x.size(0) - 1) * x.size(1)}, x.options())", PYBIND));
    assert_eq!(proved(&report), [(Rule::OobGlobal, 6)], "{:?}", report.undecided);
    assert_eq!(said.status, 1);
}

#[test]
fn operators_are_known_by_their_registration() {
    let unchecked = "TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && w.dim() == 1 && w.is_contiguous());";
    let lambda = "PYBIND11_MODULE(ext, m) { m.def(\"scaled\", [](torch::Tensor x, torch::Tensor w) { return scale(x, w); }); }\n";
    let library = "TORCH_LIBRARY(ext, m) { m.def(\"scale(Tensor x, Tensor w) -> Tensor\", &scale); }\n";
    let implemented = "TORCH_LIBRARY_IMPL(ext, CUDA, m) { m.impl(\"scale\", &scale); }\n";
    for (registration, name) in
        [(PYBIND, "scale"), (lambda, "scaled"), (library, "ext::scale"), (implemented, "ext::scale")]
    {
        let (report, _) = checked(&scale(unchecked, "torch::empty_like(x)", registration));
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{registration}: {:?}", report.undecided);
        let run = &report.findings[0].witness.as_ref().unwrap().run;
        assert_eq!(run.operator.as_deref(), Some(name), "{registration}");
    }
    // Nobody is known to call it: nothing is proved of it.
    let (report, _) = checked(&scale(unchecked, "torch::empty_like(x)", ""));
    assert_eq!(proved(&report), []);
}

/// A wrapper that makes what it is given by reference contiguous in place.
const IN_PLACE: &str = "\
torch::Tensor wrapped(torch::Tensor &x, torch::Tensor &w) {
  x = x.contiguous();
  w = w.contiguous();
  TORCH_CHECK(x.dim() == 2 && w.dim() == 1 && x.is_cuda() && w.is_cuda());
  return scale(x, w);
}
";

#[test]
fn each_argument_of_python_is_a_handle_of_its_own() {
    let bound = "PYBIND11_MODULE(ext, m) { m.def(\"wrapped\", &wrapped); }\n";
    let of = |checks: &str, registration: &str| {
        checked(&scale(checks, "torch::empty_like(x)", &format!("{IN_PLACE}{registration}"))).0
    };
    let report = of("TORCH_CHECK(w.size(0) == x.size(1));", bound);
    assert_eq!((report.summary.accesses, report.summary.safe), (3, 3), "{:?} {:?}", report.findings, report.undecided);
    let report = of("", bound);
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{:?}", report.undecided);
    // Who asks the dispatcher in C++ may give one handle twice, and then `x` is `w` once that is set.
    let library = "TORCH_LIBRARY(ext, m) { m.def(\"wrapped(Tensor(a!) x, Tensor(b!) w) -> Tensor\", &wrapped); }\n";
    for registration in [library.to_owned(), format!("{library}{bound}")] {
        let report = of("TORCH_CHECK(w.size(0) == x.size(1));", &registration);
        assert_eq!(report.summary.safe, 0, "{registration}: {:?}", report.findings);
    }
    // Nor is it known of whom else the settings speak.
    let source = scale("TORCH_CHECK(w.size(0) == x.size(1));", "torch::empty_like(x)", &format!("{IN_PLACE}{bound}"));
    let (report, _) = checked_under(&source, "[entry]\nfunctions = [\"wrapped\"]\n");
    assert_eq!(report.summary.safe, 0, "{:?}", report.findings);
}

#[test]
fn optional_tensors_and_those_that_the_operator_makes() {
    let source = "\
#include <torch/extension.h>
__global__ void copy(float *y, const float *x, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] =
        x[i];
  }
}
torch::Tensor op(const torch::Tensor &x, const std::optional<torch::Tensor> &mask) {
  TORCH_CHECK(x.is_cuda());
  auto c = x.contiguous();
  auto y = torch::empty({x.numel()}, x.options());
  if (x.numel() == 0) return y;
  copy<<<(x.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), c.data_ptr<float>(), x.numel());
  if (mask.has_value()) {
    auto m = mask.value();
    MASK
    copy<<<(x.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), m.data_ptr<float>(), x.numel());
  }
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";
    let right = "TORCH_CHECK(m.is_contiguous() && m.is_cuda() && m.numel() == x.numel());";
    let (report, _) = checked(&source.replace("MASK", right));
    assert_eq!((report.summary.accesses, report.summary.safe), (2, 2), "{:?} {:?}", report.findings, report.undecided);
    let (report, _) = checked(&source.replace("MASK", "TORCH_CHECK(m.is_contiguous());"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 6)], "{:?}", report.undecided);
}

#[test]
fn what_comes_behind_a_status_that_is_checked_is_followed() {
    let checks = "TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && w.dim() == 1 && w.is_contiguous()); C10_CUDA_CHECK(cudaGetLastError());";
    let (report, _) = checked(&scale(checks, "torch::empty_like(x)", PYBIND));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{:?}", report.undecided);
}

const GATHER: &str = "\
#include <torch/extension.h>
__global__ void gather(float *y, const float *x, const int64_t *index, int64_t n, int64_t m) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  int64_t j = index[i];
  if (GUARD)
    y[i] = x[j];
}
torch::Tensor op(const torch::Tensor &x, const torch::Tensor &index) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && index.dim() == 1 && index.is_contiguous() && x.is_cuda() && index.is_cuda());
  int64_t n = index.size(0);
  auto y = torch::zeros({n}, x.options());
  if (n == 0) return y;
  gather<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), index.data_ptr<int64_t>(), n, x.size(0));
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn what_an_index_tensor_holds_is_an_input() {
    let (report, said) = checked(&GATHER.replace("GUARD", "j < m"));
    assert_eq!(proved(&report), [(Rule::DataIndex, 7)], "{:?}", report.undecided);
    let finding = &report.findings[0];
    assert_eq!((finding.level, said.status), (Level::Warn, 0));
    let index = &finding.arguments["index"];
    assert_eq!(index.dtype, "int64");
    assert!(index.elements.values().any(|v| *v < 0), "{index}");
    let relies_on = finding.missing_check.as_ref().map(|m| m.condition.as_str());
    assert_eq!(relies_on, Some("forall i in [0, index.size(0)): index[i] >= 0"));
    // What is written in place since is not what was given.
    let clamped = GATHER.replace("GUARD", "j < m").replace("  auto y", "  index.clamp_(0, n);\n  auto y");
    let (report, _) = checked_under(
        &clamped,
        "[[contract]]\nfunction = \"op\"\nrequires = [\"forall i in [0, index.numel()): index[i] >= 0\"]\n",
    );
    assert_eq!(
        (report.summary.accesses, report.summary.safe, report.summary.unknown),
        (3, 2, 1),
        "{:?}",
        report.findings
    );
    // Stated, it makes the access safe.
    let (report, _) = checked_under(
        &GATHER.replace("GUARD", "j < m"),
        &format!("[[contract]]\nfunction = \"op\"\nrequires = [\"{}\"]\n", relies_on.unwrap()),
    );
    assert_eq!((report.summary.accesses, report.summary.safe), (3, 3), "{:?} {:?}", report.findings, report.undecided);
    let (report, _) = checked(&GATHER.replace("GUARD", "j >= 0 && j < m"));
    assert_eq!((report.summary.accesses, report.summary.safe), (3, 3), "{:?} {:?}", report.findings, report.undecided);
}

#[test]
fn a_contiguous_copy_holds_what_the_tensor_holds() {
    // Of neither are the dimensions known before the copies are made.
    let copied = GATHER
        .replace("GUARD", "j < m")
        .replace("&x, const", "&x_, const")
        .replace("&index)", "&index_)")
        .replace("  TORCH_CHECK", "  auto x = x_.contiguous(), index = index_.contiguous();\n  TORCH_CHECK");
    let (report, _) = checked(&copied);
    assert_eq!(proved(&report), [(Rule::DataIndex, 7)], "{:?}", report.undecided);
    assert!(report.findings[0].arguments["index_"].elements.values().any(|v| *v < 0), "{:?}", report.findings);
    let stated = |what: &str, source: &str| {
        let settings =
            format!("[[contract]]\nfunction = \"op\"\nrequires = [\"forall i in [0, {what}): index_[i] >= 0\"]\n");
        let (report, _) = checked_under(source, &settings);
        (report.summary.accesses, report.summary.safe, proved(&report))
    };
    // Which place in the storage an element of the copy had is not known, but of one that lies in order.
    let (accesses, safe, _) = stated("index_.numel()", &copied);
    assert_eq!((accesses, safe), (3, 2));
    let in_order = copied.replace("  auto x =", "  TORCH_CHECK(index_.is_contiguous());\n  auto x =");
    assert_eq!(stated("index_.numel()", &in_order), (3, 3, vec![]));
    // A copy that is written since holds something else.
    let (accesses, safe, _) =
        stated("index_.numel()", &in_order.replace("  int64_t n =", "  index.clamp_(0, 5);\n  int64_t n ="));
    assert_eq!((accesses, safe), (3, 2));
}

/// What `contiguous()` gives may be the tensor itself: what one holds is changed through the other.
#[test]
fn a_tensor_is_written_through_what_contiguous_gives() {
    let source = "\
#include <torch/extension.h>
__global__ void write(int64_t *index, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n && i == 70001) index[i] = 1000000000;
}
__global__ void gather(float *y, const float *x, const int64_t *index, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[index[i]];
}
torch::Tensor op(const torch::Tensor &x, const torch::Tensor &index) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && index.dim() == 1 && x.is_cuda() && index.is_cuda() && x.numel() > 0);
  int64_t n = index.size(0);
  TORCH_CHECK(n > 0);
  auto y = torch::zeros({n}, x.options());
  BEFORE
  auto copy = index.contiguous(), other = index.contiguous();
  TORCH_CHECK(index.is_contiguous());
  AFTER
  write<<<(n + 255) / 256, 256>>>(WRITTEN.data_ptr<int64_t>(), n);
  gather<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), READ.data_ptr<int64_t>(), n);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";
    let settings = "[[contract]]\nfunction = \"op\"\nrequires = [\"forall i in [0, index.numel()): index[i] >= 0 && index[i] < x.numel()\"]\n";
    let is_safe = |before: &str, after: &str, written: &str, read: &str| {
        let source = source.replace("BEFORE", before).replace("AFTER", after);
        let (report, _) = checked_under(&source.replace("WRITTEN", written).replace("READ", read), settings);
        let line = 1 + source.lines().position(|l| l.contains("x[index[i]]")).unwrap();
        let open = report.undecided.iter().any(|u| u.position.line as usize == line);
        assert_eq!(proved(&report), [], "{:?}", report.findings);
        !open
    };
    let zeros = "cudaMemset(index.data_ptr<int64_t>(), 0, n * 8);";
    for (written, read) in [("copy", "index"), ("index", "copy"), ("copy", "other")] {
        assert!(!is_safe("", "", written, read), "{read} is read after {written} was written");
    }
    for (before, after) in [(zeros, ""), ("", zeros)] {
        assert!(!is_safe(before, after, "copy", "index"), "{before}{after}");
        assert!(is_safe(before, after, "torch::zeros({n}, index.options())", "index"), "{before}{after}");
    }
}

#[test]
fn what_another_way_hands_to_code_elsewhere_changes_nothing_on_this_one() {
    let both = scale(ALL, "torch::empty_like(x)", PYBIND)
        .replace("  auto y", "  if (!x.is_cuda()) return on_the_host(x, w);\n  auto y")
        .replace(
            "torch::Tensor scale(",
            "torch::Tensor on_the_host(torch::Tensor x, const torch::Tensor &w);\ntorch::Tensor scale(",
        );
    let (report, _) = checked(&both);
    assert_eq!((report.summary.accesses, report.summary.safe), (3, 3), "{:?} {:?}", report.findings, report.undecided);
    // What is handed on before may be written at any time.
    let before = both.replace("if (!x.is_cuda()) return on_the_host(x, w);", "on_the_host(x, w);");
    let (report, _) = checked(&before);
    assert!(report.summary.safe < 3, "{:?}", report.summary);
}

/// A source with a finding's edit made.
fn mended(source: &str, report: &Report) -> String {
    let fix = report.findings[0].fix.as_ref().unwrap_or_else(|| panic!("no edit: {:?}", report.findings[0]));
    let mut at = 0;
    for line in source.split_inclusive('\n').take(fix.position.line as usize - 1) {
        at += line.len();
    }
    at += fix.position.column as usize - 1;
    format!("{}{}{}", &source[..at], fix.text, &source[at..])
}

#[test]
fn a_missing_check_is_an_edit_that_mends_it() {
    let checks = "TORCH_CHECK(x.dim() == 2 && x.is_contiguous()); TORCH_CHECK(w.dim() == 1 && w.is_contiguous());";
    for (checks, condition) in [
        (checks.to_owned(), "w.size(0) >= x.size(1)"),
        (ALL.replacen(" && x.is_contiguous()", "", 1), "x.is_contiguous()"),
    ] {
        let made = "torch::empty({x.size(0), x.size(1)}, x.options())";
        let source = scale(&checks, made, PYBIND);
        let (report, _) = checked(&source);
        let missing = report.findings[0].missing_check.as_ref().map(|m| m.condition.as_str());
        assert_eq!(missing, Some(condition), "{:?}", report.findings);
        let source = mended(&source, &report);
        assert!(
            source.contains(&format!("scale(torch::Tensor x, const torch::Tensor &w) {{\n  TORCH_CHECK({condition},")),
            "{source}"
        );
        let (report, _) = checked(&source);
        assert_eq!(report.summary.safe, 3, "{:?} {:?}", report.findings, report.undecided);
    }
}

#[test]
fn what_operators_need_of_tensors_is_inferred_and_suffices() {
    for (checks, expected) in [
        (
            "TORCH_CHECK(x.dim() == 2 && x.is_contiguous()); TORCH_CHECK(w.dim() == 1 && w.is_contiguous());",
            vec!["w.size(0) >= x.size(1)"],
        ),
        ("", vec!["w.is_contiguous()", "x.is_contiguous()", "x.dim() == 2", "w.numel() >= x.size(1)"]),
    ] {
        let p = Project::new();
        p.write("k.cu", &scale(checks, "torch::empty_like(x)", PYBIND));
        let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
        let flags = ["--", "-std=c++17", &include];
        let mut c = p.command();
        let said = Said::from(
            c.args(["contracts", "k.cu", "--function", "scale", "--format", "json"]).args(flags).output().unwrap(),
        );
        let found: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
        let requires = found["functions"][0]["requires"].as_array().unwrap();
        let mut texts: Vec<&str> = requires.iter().map(|r| r["condition"].as_str().unwrap()).collect();
        let mut expected = expected;
        texts.sort_unstable();
        expected.sort_unstable();
        assert_eq!(texts, expected, "{found:#}");
        // Pasted in, it decides what it covers.
        let mut c = p.command();
        let said = Said::from(
            c.args(["contracts", "k.cu", "--function", "scale", "--format", "toml"]).args(flags).output().unwrap(),
        );
        p.write("scuba.toml", &said.out);
        let mut c = p.command();
        let said = Said::from(c.args(["check", "k.cu", "--message-format", "json"]).args(flags).output().unwrap());
        let report: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
        assert_eq!(
            (report.summary.accesses, report.summary.safe),
            (3, 3),
            "{:?} {:?}",
            report.findings,
            report.undecided
        );
    }
}

#[test]
fn checks_of_several_tensors_at_once() {
    let source = "\
#include <torch/extension.h>
__global__ void add(float *y, const float *x, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] +=
        x[i];
}
void op(const at::Tensor &y, const at::Tensor &x) {
  at::TensorArg all[] = {{y, \"y\", 1}, {x, \"x\", 2}};
  at::checkAllSameGPU(\"op\", all);
  at::globalContext().alertNotDeterministic(\"op\");
  CHECKS
  if (y.numel() == 0) return;
  add<<<(y.numel() + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), y.numel());
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";
    let both = "at::checkAllContiguous(\"op\", all); at::checkAllSameSize(\"op\", all);";
    let fixed = "TORCH_CHECK(y.dim() == 2 && x.dim() == 2);";
    let (report, _) = checked(&source.replace("CHECKS", &format!("{fixed} {both}")));
    assert_eq!(report.summary.accesses, report.summary.safe, "{:?} {:?}", report.findings, report.undecided);
    let (report, _) = checked(&source.replace("CHECKS", &format!("{fixed} at::checkAllContiguous(\"op\", all);")));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{:?}", report.undecided);
    assert_eq!(
        report.findings[0].missing_check.as_ref().map(|m| m.condition.as_str()),
        Some("x.size(0) * x.size(1) >= y.size(0) * y.size(1)")
    );
}

#[test]
fn what_apply_of_a_function_with_a_gradient_calls_is_followed() {
    let source = "\
#include <torch/csrc/autograd/custom_function.h>
__global__ void scale_kernel(float *y, const float *x, const float *w, int64_t n, int64_t c) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n * c) y[i] = x[i] * w[i % c];
}
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
struct Scale : torch::autograd::Function<Scale> {
  static variable_list forward(AutogradContext *ctx, torch::Tensor x, torch::Tensor w) {
    TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && w.dim() == 1 && w.is_contiguous() && x.is_cuda() && w.is_cuda() && CHECKED);
    auto y = torch::empty_like(x);
    int64_t n = x.size(0), c = x.size(1);
    if (n * c > 0) scale_kernel<<<(n * c + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), w.data_ptr<float>(), n, c);
    ctx->save_for_backward({x, w});
    return {y};
  }
};
torch::Tensor scale(torch::Tensor x, torch::Tensor w) { return Scale::apply(x, w)[0]; }
PYBIND11_MODULE(ext, m) { m.def(\"scale\", &scale); }
";
    let (report, _) = checked(&source.replace("CHECKED", "w.size(0) == x.size(1)"));
    assert_eq!((report.summary.accesses, report.summary.safe), (3, 3), "{:?} {:?}", report.findings, report.undecided);
    let (report, _) = checked(&source.replace("CHECKED", "true"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 4)], "{:?}", report.undecided);
}

/// What is read where depends on a walk over dimensions of which nobody knows how many there are.
const PUT: &str = "\
#include <torch/extension.h>
struct Info { const int64_t *data; int64_t sizes[8], strides[8]; int dims; };
__global__ void put(float *out, const float *src, Info index, int64_t k, int64_t numel) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < numel) {
    int64_t o = 0, left = i;
    for (int d = index.dims - 1; d > 0; --d) { o += left % index.sizes[d] * index.strides[d]; left /= index.sizes[d]; }
    int64_t at = index.data[o + left * index.strides[0]];
    atomicAdd(&out[at * k + i % k], src[i]);
  }
}
torch::Tensor op(torch::Tensor src, torch::Tensor index, int64_t n) {
  TORCH_CHECK(src.is_cuda() && index.is_cuda() && src.dim() == index.dim() && src.dim() > 0 && index.dim() < 8);
  for (int64_t i = 0; i < index.dim(); i++) TORCH_CHECK(src.size(i) == index.size(i));
  src = src.contiguous();
  if (src.numel() == 0) return src;
  int64_t k = src.numel() / src.size(0);
  auto out = torch::zeros({n, k}, src.options());
  WRITTEN
  Info info;
  info.data = index.data_ptr<int64_t>();
  info.dims = index.dim();
  for (int i = 0; i < info.dims; i++) { info.sizes[i] = index.size(i); info.strides[i] = index.stride(i); }
  put<<<(src.numel() + 255) / 256, 256>>>(out.data_ptr<float>(), src.data_ptr<float>(), info, k, src.numel());
  return out;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn small_tensors_show_what_is_out_of_bounds_whatever_the_rank() {
    let source = PUT.replace("WRITTEN", "");
    let (report, said) = checked(&source);
    assert_eq!(proved(&report), [(Rule::DataIndex, 9)], "{:?}", report.undecided);
    assert_eq!(said.status, 0, "it warns");
    let index = &report.findings[0].arguments["index"];
    assert!(index.elements.values().any(|n| *n != 0), "{index}");
    // What type the index has is asked in one of two ways to the launch only.
    let asked = "TORCH_CHECK(n > 100 || index.scalar_type() == c10::ScalarType::Long); info.data = (const int64_t *)index.data_ptr();";
    let (report, _) = checked(&source.replace("info.data = index.data_ptr<int64_t>();", asked));
    assert_eq!(proved(&report), [(Rule::DataIndex, 9)], "{:?}", report.undecided);
    // A number that is checked against the wrong size is an argument that does not fit.
    let (report, _) = checked(&source.replace("int64_t at =", "int64_t at = 0 *"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 9)], "{:?} {:?}", report.findings, report.undecided);
    // What an operation in place leaves in a tensor is not what the caller gave.
    for clamp in ["index.clamp_(0, n - 1);", "at::_ops::clamp_::call(index, 0, n - 1);"] {
        let (report, _) = checked(&PUT.replace("WRITTEN", clamp));
        assert!(report.findings.iter().all(|f| f.rule != Rule::DataIndex), "{clamp}: {:?}", report.findings);
    }
}

/// Lists of tensors: as arguments, as what a function gives back.
const LISTS: &str = "\
#include <torch/extension.h>
#include <vector>
__global__ void scale_kernel(float *y, const float *x, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
void launch(const torch::Tensor &y, const torch::Tensor &x) {
  int64_t n = x.numel();
  if (n > 0) scale_kernel<<<(n + 255) / 256, 256>>>(y.data_ptr<float>(), x.data_ptr<float>(), n);
}
std::vector<torch::Tensor> made(const torch::Tensor &x) {
  if (x.dim() == 1) return {x, torch::empty_like(x)};
  return {x, torch::empty({SIZE}, x.options())};
}
torch::Tensor given(std::vector<torch::Tensor> xs) {
  TORCH_CHECK(xs.size() == 2 && xs[0].is_contiguous() && xs[1].is_contiguous() && xs[0].is_cuda() && xs[1].is_cuda());
  CHECKS
  launch(xs[1], xs[0]);
  return xs[1];
}
torch::Tensor returned(const torch::Tensor &x) {
  TORCH_CHECK(x.is_contiguous() && x.is_cuda());
  auto all = made(x);
  TORCH_CHECK(all.size() == 2);
  launch(all[1], all[0]);
  return all[1];
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &OP); }
";

#[test]
fn lists_hold_tensors() {
    let source =
        |op: &str, checks: &str, size: &str| LISTS.replace("OP", op).replace("CHECKS", checks).replace("SIZE", size);
    let checked_sizes = "TORCH_CHECK(xs[0].numel() == xs[1].numel());";
    for op in ["given", "returned"] {
        let (report, _) = checked(&source(op, checked_sizes, "x.numel()"));
        let s = &report.summary;
        assert_eq!((s.accesses, s.safe), (2, 2), "{op}: {:?} {:?}", report.findings, report.undecided);
    }
    let (report, _) = checked(&source("given", "", "x.numel()"));
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 5)], "{:?}", report.undecided);
    let finding = &report.findings[0];
    let (x, y) = (&finding.arguments["xs[0]"], &finding.arguments["xs[1]"]);
    assert!(y.sizes.iter().product::<i64>() < x.sizes.iter().product(), "{x} {y}");
    // One of two ways makes it too small.
    let (report, _) = checked(&source("returned", checked_sizes, "x.numel() / 2"));
    assert_eq!(proved(&report), [(Rule::OobGlobal, 5)], "{:?}", report.undecided);
}

#[test]
fn products_that_wrap_are_found_beside_other_operators() {
    let operator = |name: &str| {
        format!(
            "torch::Tensor {name}(torch::Tensor y) {{
  TORCH_CHECK(y.dim() == 2 && y.size(1) == 9 && y.is_contiguous() && y.is_cuda());
  nines<<<1024, 64>>>(y.data_ptr<float>(), y.size(0));
  return y;
}}
"
        )
    };
    let kernel = "#include <torch/extension.h>
__global__ void nines(float *y, int64_t n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i * 9 + 8] = 1;
}
";
    for names in [&["one"][..], &["one", "two"]] {
        let bodies: String = names.iter().map(|n| operator(n)).collect();
        let registered: String = names.iter().map(|n| format!("m.def(\"{n}\", &{n}); ")).collect();
        let (report, _) = checked(&format!("{kernel}{bodies}PYBIND11_MODULE(ext, m) {{ {registered}}}\n"));
        assert_eq!(proved(&report), [(Rule::IndexOverflow, 3)], "{names:?}: {:?}", report.undecided);
    }
}
