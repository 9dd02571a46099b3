//! Wide accesses to memory that a caller gives: which sizes, offsets and views keep them aligned.

use super::tensors::{checked, proved};
use super::{Project, Said};
use scuba::finding::{Finding, Report};
use scuba::rules::Rule;

/// Rows that are read as vectors of four; CHECK is a check of the operator, START what its pointer begins at.
const ROWS: &str = "\
#include <torch/extension.h>
__global__ void sum(const float *x, float *y, int d) {
  const float4 *row = reinterpret_cast<const float4 *>(x + (long)blockIdx.x * d);
  float s = 0;
  for (int i = threadIdx.x; i < d / 4; i += blockDim.x) {
    float4 v = row[i];
    s += v.x + v.y + v.z + v.w;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
torch::Tensor op(torch::Tensor x, int64_t start) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous() && x.scalar_type() == at::ScalarType::Float);
  int n = x.size(0), d = x.size(1);
  TORCH_CHECK(x.numel() < 100000 && n > 1);
  CHECK;
  auto y = torch::empty({n}, x.options());
  sum<<<n - 1, 128>>>(START, y.data_ptr<float>(), d);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

fn rows(check: &str, start: &str) -> (Report, Said) {
    checked(&ROWS.replace("CHECK;", check).replace("START", start))
}

/// The check that the only finding, which is proved, lacks.
fn check(report: &Report) -> &str {
    assert_eq!(proved(report), [(Rule::Misaligned, 6)], "{:?} {:?}", report.findings, report.undecided);
    let check = |f: &'_ Finding| f.missing_check.as_ref().map(|m| m.condition.clone());
    let first = &report.findings[0];
    check(first).map_or("", |_| first.missing_check.as_ref().map_or("", |m| &m.condition))
}

#[test]
fn rows_of_tensors_are_aligned_by_a_check_of_their_length() {
    let (report, said) = rows("", "x.data_ptr<float>()");
    assert_eq!(check(&report), "x.size(1) % 4 == 0");
    assert_eq!(said.status, 0, "a warning: {said:?}");
    let (report, _) = rows("TORCH_CHECK(d % 4 == 0);", "x.data_ptr<float>()");
    assert_eq!((report.findings.len(), report.summary.safe), (0, 2), "{:?} {:?}", report.findings, report.undecided);
}

#[test]
fn what_is_added_to_a_tensors_pointer_counts() {
    let even = "TORCH_CHECK(d % 4 == 0 && d > 8);";
    let (report, _) = rows(even, "x.data_ptr<float>() + 1");
    assert_eq!(check(&report), "", "no check makes it aligned");
    let (report, _) = rows(even, "x.data_ptr<float>() + 4");
    assert_eq!((report.findings.len(), report.summary.safe), (0, 2), "{:?} {:?}", report.findings, report.undecided);
    let between = format!("{even} TORCH_CHECK(start >= 0 && start < 8);");
    let (report, _) = rows(&between, "x.data_ptr<float>() + start");
    assert_eq!(check(&report), "start % 4 == 0");
    let (report, _) = rows(&between, "x.data_ptr<float>() + 4 * (start / 4)");
    assert_eq!((report.findings.len(), report.summary.safe), (0, 2), "{:?} {:?}", report.findings, report.undecided);
}

#[test]
fn a_view_begins_where_it_was_cut() {
    let even = "TORCH_CHECK(d % 4 == 0 && n > 4);";
    let (report, _) = rows(even, "x.slice(1, 1).data_ptr<float>()");
    assert_eq!(check(&report), "");
    let (report, _) = rows(even, "x.slice(0, 1).data_ptr<float>()");
    assert_eq!((report.findings.len(), report.summary.safe), (0, 2), "{:?} {:?}", report.findings, report.undecided);
}

/// Rows by vectors where the address is checked, and one by one elsewhere.
const CHECKED: &str = "\
#include <torch/extension.h>
__global__ void wide(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4 *>(x)[i];
    reinterpret_cast<float4 *>(y)[i] = v;
  }
}
torch::Tensor op(torch::Tensor x, int64_t start) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 1 && x.is_contiguous() && x.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(x.numel() < 100000 && start >= 0 && start < x.numel());
  int n = x.numel() - start;
  auto y = torch::empty({n}, x.options());
  const float *from = x.data_ptr<float>() + start;
  if (CONDITION) wide<<<(n / 4 + 127) / 128 + 1, 128>>>(from, y.data_ptr<float>(), n);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_check_of_the_address_decides() {
    let of = |condition: &str| checked(&CHECKED.replace("CONDITION", condition)).0;
    for condition in [
        "reinterpret_cast<uintptr_t>(from) % 16 == 0",
        "((reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(y.data_ptr<float>())) & 15) == 0",
    ] {
        let report = of(condition);
        assert_eq!((report.findings.len(), report.summary.safe), (0, 2), "{condition}: {:?}", report.undecided);
    }
    let report = of("true");
    assert_eq!(proved(&report), [(Rule::Misaligned, 5)], "{:?}", report.undecided);
    // Half of what is needed.
    let report = of("reinterpret_cast<uintptr_t>(from) % 8 == 0");
    assert_eq!(report.summary.safe, 1, "{:?} {:?}", report.findings, report.undecided);
}

/// The same for a kernel whose callers are not known.
const KERNEL: &str = "\
__global__ void sum(const float *x, float *y, int d) {
  const float4 *row = reinterpret_cast<const float4 *>(x + (long)blockIdx.x * d);
  float4 v = row[threadIdx.x];
  if (threadIdx.x == 0) y[blockIdx.x] = v.x + v.y + v.z + v.w;
}
";

#[test]
fn callers_owe_the_length_of_rows() {
    let p = Project::new();
    p.write("a.cu", KERNEL);
    let mut inferred = p.command();
    inferred.args(["contracts", "a.cu"]);
    let said = Said::from(inferred.output().unwrap());
    assert!(said.out.contains("d % 4 == 0"), "{said:?}");
    let mut decided = vec![];
    for owed in ["", "\"d % 4 == 0\", "] {
        let all = format!(
            "{owed}\"elements(x) >= 1000000\", \"gridDim.x * d <= 100000\", \"d >= 0\", \"elements(y) >= gridDim.x\""
        );
        p.write("scuba.toml", &format!("[[contract]]\nfunction = \"sum\"\nrequires = [{all}]\n"));
        let mut c = p.command();
        c.args(["check", "-v", "a.cu", "--message-format", "json"]);
        let said = Said::from(c.output().unwrap());
        let report: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
        let why: Vec<String> = report.undecided.iter().map(|u| u.reason.clone()).collect();
        decided.push((report.summary.safe + report.summary.safe_if_no_wrap, why));
    }
    let open = "its address need not be a multiple of 16: no known code calls this".to_owned();
    assert_eq!(decided, [(1, vec![open]), (2, vec![])]);
}
