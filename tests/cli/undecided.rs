//! Undecided accesses: the pages of their codes, and what a check says that decides them.

use super::{Project, Said};
use scuba::finding::{ReasonCode, Report};

/// What a page changes in its example so that all accesses are decided.
const DECIDED: &[(ReasonCode, &str, &str)] = &[
    (ReasonCode::ContentsUnknown, "x[*at] = 1;", "int i = *at; if (i >= 0 && i < 64) x[i] = 1;"),
    (
        ReasonCode::CallUnknown,
        "  clear<<<1, 1>>>(x, size_of_problem());\n",
        "  int n = size_of_problem();\n  if (n > 256) return 1;\n  clear<<<1, 1>>>(x, n);\n",
    ),
    (ReasonCode::Loop, "  clear<<<1, 1>>>(x, n);\n", "  if (n > 64) return 1;\n  clear<<<1, 1>>>(x, n);\n"),
    (
        ReasonCode::Float,
        "  put<<<1, 1>>>(x, a * a - b != 0 ? 64 : 0);   // is a * a rounded before b is subtracted?\n",
        "  int at = a * a - b != 0 ? 64 : 0;\n  if (at < 64) put<<<1, 1>>>(x, at);\n",
    ),
    (ReasonCode::NoLaunch, "{ table[at] = 1; }", "{ if (at >= 0 && at < 64) table[at] = 1; }"),
    (ReasonCode::HostNotFollowed, "  library_launches(clear, x);", "  clear<<<1, 32>>>(x);\n"),
    (ReasonCode::Replay, "  clear<<<1, 1>>>(x, n);\n", "  if (n > 64) return 1;\n  clear<<<1, 1>>>(x, n);\n"),
    (ReasonCode::Text, "  clear<<<1, 1>>>(x, n);\n", "  if (n > 64) return 1;\n  clear<<<1, 1>>>(x, n);\n"),
    (ReasonCode::Other, "if (threadIdx.x < n)", "if (threadIdx.x < n && threadIdx.x < 64)"),
];

/// Codes whose examples need a limit, another unit or flags of nvcc.
const NOT_RUN: [ReasonCode; 5] =
    [ReasonCode::Work, ReasonCode::Time, ReasonCode::Memory, ReasonCode::Tile, ReasonCode::Unseen];

/// The first piece of CUDA in a page.
fn example(code: ReasonCode) -> &'static str {
    let page = code.info().page;
    let (_, after) = page.split_once("```cuda\n").unwrap_or_else(|| panic!("{code} has no example"));
    after.split_once("```").unwrap().0
}

fn checked(p: &Project, source: &str) -> Report {
    p.write("a.cu", source);
    let said = p.scuba(["check", "a.cu", "--message-format", "json"]);
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

#[test]
fn the_example_of_each_page_is_undecided_for_its_code() {
    let p = Project::new();
    for code in ReasonCode::ALL.into_iter().filter(|c| !NOT_RUN.contains(c)) {
        let report = checked(&p, example(code));
        assert!(report.undecided.iter().any(|u| u.code == code), "{code}: {:#?}", report.undecided);
    }
}

#[test]
fn what_a_page_advises_decides_its_example() {
    let p = Project::new();
    for (code, from, to) in DECIDED {
        let (page, source) = (code.info().page, example(*code));
        assert!(source.contains(from) && page.contains(to.trim_end()), "{code}");
        let report = checked(&p, &source.replace(from, to));
        assert!(report.undecided.is_empty() && report.summary.accesses > 0, "{code}: {:#?}", report.undecided);
    }
    // A contract says what callers of the function owe.
    let page = ReasonCode::ExtentUnknown.info().page;
    let (_, contract) = page.split_once("```toml\n").unwrap();
    p.write("scuba.toml", contract.split_once("```").unwrap().0);
    let report = checked(&p, example(ReasonCode::ExtentUnknown));
    assert!(report.undecided.is_empty() && report.summary.safe == 1, "{:#?}", report.undecided);
}

#[test]
fn a_check_ends_with_the_causes_and_what_decides_them() {
    let p = Project::new();
    p.write("a.cu", example(ReasonCode::CallUnknown));
    let of = |said: Said| said.status(0).err;
    let cause = "undecided: 1 access: the result of `size_of_problem`\n  = help: give the check the source of \
                 `size_of_problem`, or check its result (`if`, `assert`); see `scuba explain call-unknown`\n";
    let text = of(p.scuba(["check", "a.cu"]));
    assert!(text.contains(cause), "{text}");
    let text = of(p.scuba(["check", "-v", "a.cu"]));
    assert!(text.contains("undecided: a.cu:1:") && text.contains("  = help: give the check the source of"), "{text}");
    assert!(!of(p.scuba(["check", "-q", "a.cu"])).contains("undecided"));
    p.write("a.cu", example(ReasonCode::ExtentUnknown));
    assert!(of(p.scuba(["check", "a.cu"])).contains("= help: `scuba contracts a.cu` says what its callers owe"));
}

#[test]
fn an_example_that_the_program_refuses_names_the_line_that_throws() {
    let p = Project::new();
    let source = "#include <cmath>\n#include <cstdlib>\n#include <stdexcept>\n\
                  __global__ void k(int *p, int n) { p[n + threadIdx.x] = 1; }\n\
                  static void check(double r) {\n  if (r < 2) throw std::runtime_error(\"too small\");\n}\n\
                  int main(int argc, char **argv) {\n  int n = argc > 1 ? atoi(argv[1]) : 0;\n  check(std::sin(n));\n  \
                  int *p;\n  cudaMalloc(&p, 32 * sizeof(int));\n  k<<<1, 32>>>(p, n);\n  \
                  return cudaDeviceSynchronize();\n}\n";
    let report = checked(&p, source);
    let reasons: Vec<&str> = report.undecided.iter().map(|u| u.reason.as_str()).collect();
    let why = "an example was found, but its replay did not reach the access: nothing is launched: \
               the exception thrown at a.cu:6 is not caught";
    assert_eq!(reasons, [why]);
}
