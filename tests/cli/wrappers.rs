//! Contracts of functions that launch kernels with arrays of indices: what `scuba contracts` says of them, pasted, decides.

use super::{Project, Said};
use scuba::finding::Report;

const ROWS: &str = "\
__global__ void csr(const int *row, const int *col, const float *w, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int j = row[i]; j < row[i + 1]; j++) s += w[j] * x[col[j]];
  y[i] = s;
}
extern \"C\" void op(MAYBE int *row, const int *col, const float *w, const float *x, float *y, int n, dim3 Gr, dim3 Bl) {
  BEFORE
  csr<<<Gr, Bl>>>(row, col, w, x, y, n);
}
";

const PAIRS: &str = "\
struct Pair { int first, second; };
__global__ void csr(const Pair *row, const float *w, float *y, int n) {
  int i = blockIdx.y;
  float s = 0;
  for (int j = row[i].first; j < row[i].second; j++) s += w[j];
  y[i] = s;
}
extern \"C\" void op(const Pair *row, const float *w, float *y, int n) { if (n > 0 && n < 65536) csr<<<dim3(1, n), 1>>>(row, w, y, n); }
";

const ENTRY: &str = "[entry]\nfunctions = [\"op\"]\n";

fn rows() -> String {
    ROWS.replace("MAYBE", "const").replace("  BEFORE\n", "")
}

fn project(source: &str) -> Project {
    let p = Project::new();
    p.write("a.cu", source);
    p.write("scuba.toml", ENTRY);
    p
}

fn checked(p: &Project) -> (Report, Said) {
    let said = p.scuba(["check", "a.cu", "-v", "--message-format", "json"]);
    (serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}")), said)
}

/// Conditions that are printed of a function.
fn of_function(said: &str, function: &str) -> Vec<String> {
    let own = said.lines().skip_while(|l| l.split_whitespace().next() != Some(function)).skip(1);
    own.take_while(|l| l.starts_with(' ')).map(|l| l.trim().to_owned()).collect()
}

#[test]
fn a_wrapper_needs_what_its_kernel_needs_and_no_limits_of_launches() {
    for (source, wanted) in [
        (
            rows(),
            ["forall i in [0, n): row[i] >= 0", "forall i in [0, n + 1): elements(w) >= row[i]", "elements(y) >= n"],
        ),
        (
            PAIRS.to_owned(),
            [
                "forall i in [0, n): row[i].first >= 0",
                "forall i in [0, elements(row)): elements(w) >= row[i].second",
                "elements(y) >= n",
            ],
        ),
    ] {
        let said = project(&source).scuba(["contracts", "a.cu"]).status(0).out;
        let own = of_function(&said, "op");
        for condition in wanted {
            assert!(own.iter().any(|l| l.starts_with(condition)), "{condition}: {own:?}");
        }
        assert!(!own.iter().any(|l| l.contains("undecided") || l.contains("1025") || l.contains("65536")), "{own:?}");
    }
}

#[test]
fn pasted_contracts_of_wrapper_and_kernel_decide() {
    for source in [rows(), PAIRS.to_owned()] {
        let p = project(&source);
        let printed = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0).out;
        p.write("scuba.toml", &format!("{ENTRY}{printed}"));
        let (report, said) = checked(&p);
        assert_eq!((report.summary.unknown, report.findings.len()), (0, 0), "{said:?}");
        // The launch keeps what the kernel is promised.
        assert!(!said.err.contains("is undecided"), "{}", said.err);
        // Without what the wrapper promises of an array, its accesses are open again, and the launch may break the kernel's contract.
        let less: String = printed
            .split("\n[[contract]]")
            .map(|table| {
                let is_op = table.contains("function = \"op\"");
                let lines = table.lines().filter(|l| !(is_op && l.contains(">= 0")));
                lines.collect::<Vec<_>>().join("\n")
            })
            .collect::<Vec<_>>()
            .join("\n[[contract]]");
        assert_ne!(less, printed);
        p.write("scuba.toml", &format!("{ENTRY}{less}"));
        let (report, said) = checked(&p);
        assert!(report.summary.unknown > 0 || !report.findings.is_empty(), "{said:?}");
    }
}

#[test]
fn an_array_that_the_wrapper_changes_is_not_what_was_promised() {
    let source = ROWS
        .replace("MAYBE ", "")
        .replace("BEFORE", "cudaMemset(row, 0x7f, 4 * n);")
        .replace("__global__", "#include <cuda_runtime.h>\n__global__");
    let p = project(&source);
    let printed = project(&rows()).scuba(["contracts", "a.cu", "--format", "toml"]).status(0).out;
    p.write("scuba.toml", &format!("{ENTRY}{printed}"));
    let (report, said) = checked(&p);
    let kept = report.findings.is_empty() && report.summary.unknown == 0 && !said.err.contains("is undecided");
    assert!(!kept, "{said:?}");
}
