//! `[[contract]]` in scuba.toml, of kernels that nothing here launches.

use super::{Project, Said};
use scuba::report::finding::Report;

const GATHER: &str = "\
struct Pair { int a, b; };
__global__ void gather(float *out, const float *in, const Pair *pairs, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int k = 0; k < cols; k++) sum += in[i * (long)cols + k];
  out[i] = sum * pairs[i].b;
}
";

fn checked(p: &Project) -> (Report, String) {
    let mut c = p.command();
    c.args(["check", "-v", "a.cu", "--message-format", "json"]);
    let said = Said::from(c.output().unwrap());
    (serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}")), said.err)
}

fn contract(p: &Project, function: &str, requires: &[&str]) {
    let list: Vec<String> = requires.iter().map(|r| format!("  \"{r}\",\n")).collect();
    p.write("scuba.toml", &format!("[[contract]]\nfunction = \"{function}\"\nrequires = [\n{}]\n", list.concat()));
}

#[test]
fn accesses_that_a_contract_covers_are_safe_by_it() {
    let p = Project::new();
    p.write("a.cu", GATHER);
    let (r, _) = checked(&p);
    assert_eq!((r.summary.accesses, r.summary.unknown, r.summary.safe), (3, 3, 0), "{:?}", r.summary);
    contract(&p, "gath*", &["elements(in) >= rows * cols", "elements(out) >= rows", "extent(pairs) >= rows * 8"]);
    let (r, _) = checked(&p);
    // Safe unless `blockIdx.x * blockDim.x` wraps: nothing says how large a launch is.
    let safe = |r: &Report| r.summary.safe + r.summary.safe_if_no_wrap;
    assert_eq!((safe(&r), r.summary.safe_assuming, r.summary.unknown), (3, 3, 0), "{:?}", r.undecided);
    // A conjunction, and casts.
    contract(
        &p,
        "gather",
        &["elements(in) >= (long)rows * cols && elements(out) > rows - 1", "rows * 8 <= extent(pairs)"],
    );
    let (r, _) = checked(&p);
    assert_eq!((safe(&r), r.summary.safe_assuming), (3, 3), "{:?}", r.undecided);
    // One element less decides nothing, and is no finding.
    contract(
        &p,
        "gather",
        &["elements(in) >= rows * cols - 1", "elements(out) >= rows - 1", "extent(pairs) >= 8 * rows"],
    );
    let (r, _) = checked(&p);
    assert_eq!((safe(&r), r.summary.unknown, r.findings.len()), (1, 2, 0), "{:?}", r.summary);
}

#[test]
fn callers_that_are_known_decide_for_themselves() {
    let p = Project::new();
    let main = "int main() { float *x; Pair *q; cudaMalloc(&x, 4); cudaMalloc(&q, 64);\n\
                gather<<<1, 32>>>(x, x, q, 8, 1); return cudaDeviceSynchronize(); }\n";
    p.write("a.cu", &format!("{GATHER}{main}"));
    contract(&p, "gather", &["elements(in) >= rows * cols", "elements(out) >= rows", "extent(pairs) >= 8 * rows"]);
    let (r, _) = checked(&p);
    assert_eq!((r.findings.len(), r.summary.safe, r.summary.safe_assuming), (2, 1, 0), "{:?}", r.summary);
}

#[test]
fn what_cannot_be_assumed_is_said() {
    let p = Project::new();
    p.write("a.cu", GATHER);
    for (function, required, said) in [
        (
            "gathr",
            "rows > 0",
            "scuba.toml:4: `rows > 0` is a contract of nothing: no function that is defined or called here has such a name",
        ),
        (
            "gather",
            "row > 0",
            "`row > 0` is not assumed of `gather(float*, float const*, Pair const*, int, int)`: `gather(float*, float const*, Pair const*, int, int)` has no parameter `row`",
        ),
        ("gather", "extent(x) > 0", "has no parameter `x`"),
        (
            "gather",
            "elements(pairs) >= rows",
            "the size of what `pairs` points to is not known: state its extent in bytes",
        ),
        ("gather", "disjoint(in, out)", "`disjoint` is not assumed yet"),
        (
            "gather",
            "rows < 0 && rows > 0",
            "the contract of `gather(float*, float const*, Pair const*, int, int)` can never hold: it is not assumed",
        ),
    ] {
        contract(&p, function, &[required]);
        let (r, err) = checked(&p);
        assert!(err.contains(said), "{said}\n{err}");
        assert_eq!(r.summary.unknown, 3, "{required}");
    }
    contract(&p, "gather", &["elements(in >= rows"]);
    let said = Said::from(p.command().args(["check", "a.cu"]).output().unwrap()).status(2);
    assert!(said.err.contains("scuba.toml:4:23: the contract ends too early"), "{}", said.err);
}

/// How a kernel indexes memory does not say of what type it is.
#[test]
fn elements_are_those_of_the_type_not_of_the_access() {
    let p = Project::new();
    let body = "{ int i = threadIdx.x; if (i < n) ((float4 *)x)[i] = make_float4(0, 0, 0, 0); }\n";
    p.write("a.cu", &format!("__global__ void wide(float *x, int n) {body}"));
    contract(&p, "wide", &["elements(x) >= n"]);
    let (r, _) = checked(&p);
    assert_eq!((r.summary.accesses, r.summary.unknown), (1, 1), "{:?}", r.summary);
    contract(&p, "wide", &["elements(x) >= 4 * n"]);
    let (r, _) = checked(&p);
    assert_eq!((r.summary.safe, r.summary.safe_assuming), (1, 1), "{:?}", r.undecided);
    p.write("a.cu", &format!("template <class T> __global__ void wide(T *x, int n) {body}template __global__ void wide<float>(float *, int);\n"));
    contract(&p, "wide", &["elements(x) >= n"]);
    let (r, err) = checked(&p);
    assert!(r.summary.unknown == 1 && err.contains("state its extent in bytes"), "{:?}\n{err}", r.summary);
}
