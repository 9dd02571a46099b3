//! What rests on an assumption: asserts that the build removes, and `[[assume]]` in scuba.toml.

use super::{Project, Said};
use scuba::finding::{Report, Verdict};

/// Safe exactly where `n` is a multiple of 16: one thread for each of the first n / 16 * 16 elements, all of which are there,
/// but the last block of `clear` counts on a full one.
const BLOCKS: &str = "\
#include <cassert>
#include <cstdlib>
__global__ void clear(float *a, int n) { a[blockIdx.x * 16 + threadIdx.x] = 0; }
__global__ void set(float *a, int n) {
  int i = blockIdx.x * 16 + threadIdx.x;
  if (i < n) a[i] = 1;
}
void launch(float *a, int n) {
  CHECK(n % 16 == 0);
  clear<<<(n + 15) / 16, 16>>>(a, n);
  set<<<(n + 15) / 16, 16>>>(a, n);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  launch(a, n);
  return cudaDeviceSynchronize();
}
";

fn report(said: &Said) -> Report {
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
}

impl Project {
    fn checked(&self, flags: &str) -> Report {
        let mut c = self.command();
        c.args(["check", "-W", "all", "a.cu", "--message-format", "json", "--"]).args(flags.split_whitespace());
        report(&Said::from(c.output().unwrap()).status(0))
    }

    fn verbose(&self, flags: &str) -> String {
        let mut c = self.command();
        c.args(["check", "-W", "all", "-v", "a.cu", "--"]).args(flags.split_whitespace());
        Said::from(c.output().unwrap()).status(0).err
    }
}

#[test]
fn what_a_removed_assert_makes_safe_is_counted_apart() {
    let p = Project::new();
    p.write("a.cu", &BLOCKS.replace("CHECK", "assert"));
    let kept = p.checked("");
    assert_eq!((kept.summary.safe, kept.summary.safe_assuming, kept.findings.len()), (2, 0, 0), "{kept:?}");
    let removed = p.checked("-DNDEBUG");
    assert_eq!((removed.summary.safe, removed.summary.safe_assuming, removed.findings.len()), (2, 1, 0), "{removed:?}");
    let text = p.verbose("-DNDEBUG");
    assert!(
        text.contains("a.cu:3:")
            && text.contains(
                "`a` is safe only under an assumption: `n % 16 == 0` (a.cu:9), an assert that NDEBUG removes"
            ),
        "{text}"
    );
    assert!(text.contains("1 of the safe ones only under an assumption") && !text.contains("a.cu:6:"), "{text}");
    // The facts of a build keep it.
    let nvcc = super::nvcc();
    p.write("Makefile", &format!("a.o: a.cu\n\t{} -DNDEBUG -arch=sm_80 -c a.cu -o a.o\n", nvcc.display()));
    p.scuba(["build", "-q", "--", "make"]).status(0);
    let joined = p.scuba(["check", "-v"]).status(0);
    assert!(
        joined.err.contains("an assert that NDEBUG removes") && joined.err.contains("read without NDEBUG"),
        "{joined:?}"
    );
}

#[test]
fn an_assert_of_several_parts_is_one_assumption() {
    let p = Project::new();
    p.write("a.cu", &BLOCKS.replace("CHECK(n % 16 == 0)", "assert(n > 0 && (n % 32 == 0 || n % 16 == 0))"));
    let r = p.checked("-DNDEBUG");
    assert_eq!((r.summary.safe, r.summary.safe_assuming), (2, 1), "{r:?}");
}

#[test]
fn findings_name_the_removed_assert_on_their_way() {
    let p = Project::new();
    p.write("a.cu", &BLOCKS.replace("CHECK", "assert").replace("if (i < n) a[i]", "if (i < n) a[i + 1]"));
    let r = p.checked("-DNDEBUG");
    assert_eq!((r.findings.len(), r.findings[0].verdict), (1, Verdict::Proved), "{r:?}");
    assert_eq!(r.findings[0].assumptions, ["`n % 16 == 0` (a.cu:9), an assert that NDEBUG removes"]);
    assert_eq!(p.checked("").findings[0].assumptions, [""; 0], "an assert that stays is a fact");
}

#[test]
fn conditions_of_scuba_toml_hold_at_the_entry_of_their_function() {
    let p = Project::new();
    p.write("a.cu", &BLOCKS.replace("CHECK(n % 16 == 0);", ""));
    assert_eq!(p.checked("").findings.len(), 1);
    for (stated, said) in [
        ("expr = \"n % 16 == 0\"\nfunction = \"launch\"\n", "`n % 16 == 0` in `launch` (scuba.toml:2)"),
        (
            "expr = \"(n & 15) == 0\"\nfunction = \"launch(float*, int)\"\n",
            "`(n & 15) == 0` in `launch(float*, int)` (scuba.toml:2)",
        ),
        ("expr = \"argv[1] % 16 == 0 && argc == 2\"\n", "`argv[1] % 16 == 0 && argc == 2` (scuba.toml:2)"),
        ("function = \"clear\"\nexpr = \"n % 16 == 0\"\n", "`n % 16 == 0` in `clear` (scuba.toml:3)"),
    ] {
        p.write("scuba.toml", &format!("[[assume]]\n{stated}"));
        let r = p.checked("");
        assert_eq!((r.findings.len(), r.summary.safe, r.summary.safe_assuming), (0, 2, 1), "{stated}: {r:?}");
        let text = p.verbose("");
        assert!(text.contains(said), "{said}: {text}");
    }
    // A condition that does not suffice, and a finding that rests on it.
    p.write("scuba.toml", "[[assume]]\nexpr = \"argv[1] % 4 == 0\"\n");
    let r = p.checked("");
    assert_eq!((r.findings.len(), r.findings[0].verdict), (1, Verdict::Proved), "{r:?}");
    assert_eq!(r.findings[0].assumptions, ["`argv[1] % 4 == 0` (scuba.toml:2)"]);
    let n: u32 = r.findings[0].witness.as_ref().unwrap().inputs[0].value.parse().unwrap();
    assert_eq!(n % 4, 0, "the example keeps to it");
}

#[test]
fn conditions_that_cannot_be_applied_are_said() {
    let p = Project::new();
    p.write("a.cu", &BLOCKS.replace("CHECK(n % 16 == 0);", ""));
    for (stated, said) in [
        (
            "expr = \"m > 0\"\nfunction = \"launch\"",
            "scuba.toml:2: `m > 0` is not assumed: `launch(float*, int)` has no parameter `m`; it has `a`, `n`",
        ),
        ("expr = \"a > 0\"\nfunction = \"launch\"", "`a` of `launch(float*, int)` is no integer"),
        ("expr = \"argv[1] > 0\"\nfunction = \"launch\"", "`argv` is an input of `main`"),
        ("expr = \"n > 0\"", "`main` has no input `n`"),
        (
            "expr = \"n > 0\"\nfunction = \"launhc\"",
            "scuba.toml:2: `n > 0` is not assumed: no code here defines or calls a function `launhc`",
        ),
        ("expr = \"n / 0 > 1\"\nfunction = \"launch\"", "divides by zero"),
        (
            "expr = \"1 > 2\"\nfunction = \"launch\"",
            "`1 > 2` never holds where `launch(float*, int)` is called; it is not assumed there",
        ),
    ] {
        p.write("scuba.toml", &format!("[[assume]]\n{stated}\n"));
        let s = Said::from(p.command().args(["check", "-W", "all", "a.cu"]).output().unwrap()).status(0);
        assert!(s.err.contains(said) && s.err.contains("oob-global"), "{said}: {s:?}");
    }
    p.write("scuba.toml", "[[assume]]\nexpr = \"n = 3\"\nfunction = \"launch\"\n");
    let said = p.scuba(["check", "a.cu"]).status(2);
    assert!(said.err.contains("scuba.toml:2:11: `= 3` is not allowed here"), "{said:?}");
}
