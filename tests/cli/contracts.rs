//! `[[contract]]` in scuba.toml, of kernels that nothing here launches.

use super::{Project, Said};
use scuba::finding::Report;
use serde_json::Value;

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
    assert_eq!((r.findings.len(), r.summary.safe, r.summary.safe_assuming), (4, 1, 0), "{:?}", r.summary);
    // What the launch breaks, and what comes of it.
    let of = |rule: &str| {
        r.findings.iter().filter(|f| f.rule.name() == rule).map(|f| f.access.array.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of("contract"), ["elements(in) >= rows * cols", "elements(out) >= rows"]);
    assert_eq!(of("oob-global"), ["in", "out"]);
}

#[test]
fn what_cannot_be_assumed_is_said() {
    let p = Project::new();
    p.write("a.cu", GATHER);
    for (function, required, said) in [
        ("gathr", "rows > 0", "scuba.toml:4: contract `rows > 0` matches no function that is defined or called here"),
        ("gather", "row > 0", "error: kernel `gather` has no `row`\n --> scuba.toml:4:1\n  |\n4 | row > 0\n  | ^^^"),
        ("gather", "row > 0", "help: did you mean `rows`?"),
        ("gather", "rows > 0 && extent(x) > 0", "error: kernel `gather` has no `x`"),
        ("gather", "pairs->c > 0", "has no `c`"),
        ("gather", "disjoint(in, rows)", "`disjoint` takes a pointer, not a number"),
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
        let wrong = if function == "gather" { 2 } else { 0 };
        drop(p.scuba(["check", "a.cu"]).status(wrong));
        let contracts = p.scuba(["contracts", "a.cu"]).status(if required.contains("rows < 0") { 0 } else { wrong });
        assert!(wrong == 0 || !contracts.out.is_empty(), "what is found is shown all the same");
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
    for (required, unknown) in [("elements(x) >= n", 1), ("elements(x) >= 4 * n", 0)] {
        contract(&p, "wide", &[required]);
        let (r, _) = checked(&p);
        assert_eq!(r.summary.unknown, unknown, "{:?}", r.summary);
    }
    p.write("a.cu", &format!("__global__ void wide(void *x, int n) {body}"));
    contract(&p, "wide", &["elements(x) >= n"]);
    let (r, err) = checked(&p);
    assert!(r.summary.unknown == 1 && err.contains("state its extent in bytes"), "{:?}\n{err}", r.summary);
}

/// Kernels that nothing launches, as a library has them.
const KERNELS: &str = "\
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void transpose(const double *in, double *out, int rows, int cols) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
__global__ void all(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
__global__ void rowsum(const float *m, float *out, int rows, int cols, int ld) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; c++) s += m[r * ld + c];
  out[r] = s;
}
__global__ void tile(const float *a, float *b, int n, int flag) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = flag && i < n ? a[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) b[blockIdx.x] = s[0];
}
__global__ void gather(const int *idx, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[idx[i]];
}
";

#[test]
fn what_kernels_need_is_found_and_decides_what_it_covers() {
    let p = Project::new();
    p.write("k.cu", KERNELS);
    let json: Value = serde_json::from_str(&p.scuba(["contracts", "k.cu", "--format", "json"]).status(0).out).unwrap();
    let conditions = |name: &str| -> Vec<String> {
        let all = json["functions"].as_array().unwrap();
        let f = all.iter().find(|f| f["function"].as_str().unwrap().starts_with(name)).unwrap();
        f["requires"].as_array().unwrap().iter().map(|r| r["condition"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(conditions("saxpy"), ["elements(y) >= n", "elements(x) >= n"]);
    assert_eq!(conditions("transpose"), ["elements(out) >= cols * rows", "elements(in) >= cols * rows"]);
    assert_eq!(conditions("all"), ["elements(a) >= gridDim.x * blockDim.x"]);
    assert_eq!(conditions("rowsum"), ["ld >= 0 && elements(m) >= ld * rows + cols - ld", "elements(out) >= rows"]);
    assert_eq!(conditions("tile"), ["blockDim.x <= 256", "flag == 0 || elements(a) >= n", "elements(b) >= gridDim.x"]);
    let held = "forall i in [0, n): idx[i] >= 0 && elements(x) > idx[i]";
    assert_eq!(conditions("gather"), ["elements(y) >= n", "elements(idx) >= n", held]);

    let summary = |said: Said| -> (u64, u64, u64) {
        let report: Value = serde_json::from_str(&said.status(0).out).unwrap();
        let of = |name: &str| report["summary"][name].as_u64().unwrap();
        assert_eq!(report["findings"].as_array().unwrap().len(), 0);
        (of("accesses"), of("safe") + of("safe_if_no_wrap"), of("safe_assuming"))
    };
    let check = || p.scuba(["check", "k.cu", "--message-format", "json"]);
    let (all, before, _) = summary(check());
    let toml = p.scuba(["contracts", "k.cu", "--format", "toml"]).status(0).out;
    p.write("scuba.toml", &toml);
    let (same, after, assuming) = summary(check());
    assert_eq!((all, same, before), (15, 15, 1));
    assert_eq!((after, assuming), (15, 14), "what `idx` leads to, too");
    // What is written down is not found again.
    let human = p.scuba(["contracts", "k.cu"]).status(0).out;
    assert!(
        human
            .contains("transpose(double const*, double*, int, int)  k.cu:5\n    safe if no index wraps: 7:out, 7:in\n"),
        "{human}"
    );
    assert!(human.contains("all(float*)  k.cu:9\n    nothing\n"), "{human}");
}

#[test]
fn checks_of_contracts_are_source_that_compiles_and_tells() {
    let p = Project::new();
    p.write("k.cu", KERNELS);
    let checks = p.scuba(["contracts", "k.cu", "--function", "r*sum", "--format", "checks"]).status(0).out;
    assert!(!checks.contains("saxpy"), "{checks}");
    let program = format!(
        "enum {{ cudaErrorInvalidValue = 1 }};\nint f(int ld, int rows, int cols, long m_elements, long out_elements) {{\n{checks}\n  return 0;\n}}\n\
         int main() {{\n  return f(4, 2, 3, 7, 2) || !f(4, 2, 3, 6, 2) || !f(4, 2, 3, 7, 1) || !f(-4, 2, 3, 7, 2)\n    \
         || !f(1 << 30, 8, 3, 1L << 32, 8);\n}}\n"
    );
    let source = p.write("c.cpp", &program);
    let built = p.root().join("c");
    let compiler = std::process::Command::new("g++").arg("-o").arg(&built).arg(source).output().unwrap();
    assert!(compiler.status.success(), "{program}\n{}", String::from_utf8_lossy(&compiler.stderr));
    assert!(std::process::Command::new(built).status().unwrap().success(), "{program}");
}

#[test]
fn contracts_are_asked_for_by_names_without_scopes() {
    let p = Project::new();
    p.write(
        "k.cu",
        "namespace grid {\nnamespace {\ntemplate <typename T> __global__ void blur(T *x, int n) {\n  if (threadIdx.x < n) x[threadIdx.x] = 0;\n}\n}\n\
         __global__ void other(float *x) { x[0] = 1; }\n\
         void run(float *x, int n) { blur<float><<<1, 32>>>(x, n); }\n}\n",
    );
    for (pattern, found) in
        [("blur", "blur<float>"), ("run", "grid::run"), ("grid::run", "grid::run"), ("ot*", "grid::other")]
    {
        let said = p.scuba(["contracts", "k.cu", "--function", pattern]).status(0).out;
        assert!(said.contains(found) && said.matches("k.cu:").count() == 1, "{pattern}: {said}");
    }
}

#[test]
fn contracts_of_nothing_say_so() {
    let p = Project::new();
    p.write("k.cu", KERNELS);
    let said = p.scuba(["contracts", "k.cu", "--function", "none*"]).status(2);
    assert!(
        said.err.contains("there is no kernel and no function that launches one here with such a name"),
        "{said:?}"
    );
    assert!(p.scuba(["contracts", "k.cu", "--function", "[a"]).status(2).err.contains("`[a` is not a name pattern"));
    assert!(p.scuba(["contracts", "none.cu"]).status(2).err.contains("none.cu"));
}

const CALLED: &str = "[[contract]]\nfunction = \"scale\"\nrequires = [\"elements(x) >= n\", \"n % 4 == 0\", \"blockDim.x <= 256\"]\n\
    [[contract]]\nfunction = \"fill\"\nrequires = [\"extent(p) >= n * 8\", \"n >= 0\"]\n";

/// `main` in one unit, with what launches and allocates; kernel and function in another.
fn caller(body: &str) -> String {
    format!(
        "#include <cstdlib>\n#include <cuda_runtime.h>\nvoid launch(int n, float *x, int block);\nvoid fill(double *p, int n);\n\
         int main(int argc, char **argv) {{\n  if (argc < 2) return 1;\n  int n = atoi(argv[1]);\n{body}\n  return cudaDeviceSynchronize();\n}}\n"
    )
}

const LIBRARY: &str = "\
__global__ void scale(float *x, int n) { if (threadIdx.x == 0 && n == 4) x[n - 1] = 0; }
void launch(int n, float *x, int block) { scale<<<1, block>>>(x, n); }
void fill(double *p, int n) { if (n == 2) p[1] = 0; }
";

/// Findings as `file:line rule verdict: what`.
fn findings(p: &Project, status: i32, body: &str) -> Vec<String> {
    p.write("scuba.toml", CALLED);
    p.write("lib.cu", LIBRARY);
    p.write("main.cpp", &caller(body));
    let said = p.scuba(["check", "main.cpp", "lib.cu", "--message-format", "json"]).status(status);
    let report: Report = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report.summary.not_analysed, 0);
    let text = |f: &scuba::finding::Finding| {
        let at = &f.access.position;
        format!("{}:{} {} {:?}: {}", at.file, at.line, f.rule, f.verdict, f.access.array)
    };
    report.findings.iter().map(text).collect()
}

#[test]
fn who_launches_a_kernel_owes_it_its_contract() {
    let p = Project::new();
    let with = |extent: &str, check: &str, block: &str| {
        format!("  float *x;\n  if ({check} || cudaMalloc(&x, {extent})) return 1;\n  launch(n, x, {block});")
    };
    assert_eq!(findings(&p, 0, &with("n * sizeof *x", "n < 1 || n > 1000 || n % 4", "256")), [""; 0]);
    // Bytes for elements; a number of any kind; a block that is too large.
    assert_eq!(
        findings(&p, 1, &with("n", "n < 1 || n > 1000 || n % 4", "256")),
        ["lib.cu:1 oob-global Proved: x", "lib.cu:2 contract Proved: elements(x) >= n"]
    );
    assert_eq!(
        findings(&p, 1, &with("n * sizeof *x", "n < 1 || n > 1000", "256")),
        ["lib.cu:2 contract Proved: n % 4 == 0"]
    );
    assert_eq!(
        findings(&p, 1, &with("n * sizeof *x", "n != 8", "n * 64")),
        ["lib.cu:2 contract Proved: blockDim.x <= 256"]
    );
}

#[test]
fn who_calls_a_function_owes_it_its_contract() {
    let p = Project::new();
    let with = |check: &str| format!("  double p[20];\n  if ({check}) return 1;\n  fill(p + 4, n);");
    assert_eq!(findings(&p, 0, &with("n < 0 || n > 16")), [""; 0]);
    assert_eq!(findings(&p, 1, &with("n < 0 || n > 17")), ["main.cpp:10 contract Proved: extent(p) >= n * 8"]);
    assert_eq!(findings(&p, 1, &with("n > 16")), ["main.cpp:10 contract Proved: n >= 0"]);
    p.write(
        "scuba.toml",
        &CALLED.replace("[[contract]]", "[levels]\ncontract = \"allow\"\n[[contract]]").replacen(
            "[levels]\ncontract = \"allow\"\n",
            "",
            1,
        ),
    );
    let said = p.scuba(["check", "main.cpp", "lib.cu"]).status(0);
    assert!(said.err.contains("no findings"), "{said:?}");
}

/// A library without `main`.
fn library(guard: &str) -> String {
    format!(
        "__global__ void k(float *x, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if ({guard}) x[i] = 0; }}\n\
         static void inner(float *x, int n) {{ k<<<n / 256 + 1, 256>>>(x, n); }}\n\
         extern \"C\" void zero(float *x, int n) {{ if (n < 1 || n > 1 << 20) return; inner(x, n); }}\n\
         void zero_all(float *x) {{ zero(x, 1000); }}\n"
    )
}

fn of_library(guard: &str, settings: &str, status: i32) -> Report {
    let p = Project::new();
    p.write("k.cu", &library(guard));
    p.write("scuba.toml", settings);
    let said = p.scuba(["check", "k.cu", "--message-format", "json"]).status(status);
    serde_json::from_str(&said.out).unwrap()
}

const ZERO: &str = "[[contract]]\nfunction = \"zero\"\nrequires = [\"elements(x) >= n\"]\n";

#[test]
fn entry_points_are_called_with_all_that_their_contracts_allow() {
    for entry in ["[entry]\nfunctions = [\"zer?\"]\n", "[entry]\nexports = true\n"] {
        let settings = format!("{entry}{ZERO}");
        let r = of_library("i < n", &settings, 0);
        assert_eq!((r.summary.accesses, r.summary.safe_assuming, r.findings.len()), (1, 1, 0), "{:?}", r.summary);
        let r = of_library("i <= n", &settings, 1);
        let found: Vec<_> = r.findings.iter().filter(|f| f.root == "zero").collect();
        let [f] = found.as_slice() else { panic!("{:?}", r.findings) };
        assert_eq!(
            (f.rule.name(), format!("{:?}", f.verdict), f.access.array.as_str()),
            ("oob-global", "Proved".into(), "x")
        );
        let w = f.witness.as_ref().unwrap();
        let input = |name: &str| -> i64 { w.inputs.iter().find(|i| i.name == name).unwrap().value.parse().unwrap() };
        assert_eq!((w.extent_bytes, w.offset_bytes), (input("extent(x)"), 4 * input("n")), "{w:?}");
        // Without a contract nothing is known of the pointer, and no code can check it.
        let r = of_library("i <= n", entry, 0);
        let [f] = r.findings.iter().filter(|f| f.root.starts_with("zero(") || f.root == "zero").collect::<Vec<_>>()[..]
        else {
            panic!("{:?}", r.findings)
        };
        assert_eq!((f.rule.name(), format!("{:?}", f.verdict)), ("unchecked-argument", "Possible".into()));
        assert_eq!(f.missing_check.as_ref().unwrap().condition, "elements(x) > n");
        assert_eq!((r.summary.safe, r.summary.proved), (0, 0), "{:?}", r.summary);
    }
    // Nobody says that anything may call it.
    let r = of_library("i <= n", ZERO, 0);
    assert!(r.findings.iter().all(|f| format!("{:?}", f.verdict) == "Possible"), "{:?}", r.findings);
}

#[test]
fn contracts_of_entry_points_that_can_never_hold_are_not_assumed() {
    let p = Project::new();
    p.write("k.cu", &library("i < n"));
    p.write(
        "scuba.toml",
        &format!("[entry]\nfunctions = [\"zero\"]\n{}", ZERO.replace("elements(x) >= n", "n > 3 && n < 4")),
    );
    let said = p.scuba(["check", "k.cu"]).status(0);
    assert!(
        said.err.contains("`n > 3 && n < 4` never holds where `zero` is called; it is not assumed there"),
        "{said:?}"
    );
    assert!(said.err.contains("warning[unchecked-argument]: `zero` cannot check how long `x` is"), "{said:?}");
}

#[test]
fn what_a_change_makes_a_kernel_require_is_told() {
    let p = Project::new();
    let git = |arguments: &[&str]| {
        let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done =
            std::process::Command::new("git").current_dir(p.root()).args(author).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    p.write("src/k.cu", &format!("#include \"size.h\"\n{}", KERNELS.replace("x[i] + y[i]", "x[i + MORE] + y[i]")));
    p.write("src/size.h", "#define MORE 0\n");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let earlier = p.scuba(["contracts", "src/k.cu", "--format", "json"]).status(0).out;
    p.write("earlier.json", &earlier);
    let diff = |with: &str| p.scuba(["contracts", "src/k.cu", "--diff", with]);
    assert_eq!(diff("HEAD").status(0).out, "no new or removed requirements\n");
    // It reads one element more.
    p.write("src/size.h", "#define MORE 1\n");
    for with in ["HEAD", "earlier.json"] {
        let said = diff(with).status(0).out;
        assert!(said.contains("saxpy(int, float, float const*, float*)  src/k.cu:2\n  + "), "{said}");
        assert!(said.contains("elements(x) > n  now required\n"), "{said}");
        assert_eq!(said.lines().count(), 2, "what was required is no news: {said}");
    }
    assert!(diff("nothing").status(2).err.contains("nothing is neither a file nor a revision here"));
    assert!(diff("src/k.cu").status(2).err.contains("src/k.cu is not a document of `scuba contracts --format json`"));
}

#[test]
fn sources_state_contracts_and_entry_points_with_scuba_h() {
    let p = Project::new();
    p.write("inc/scuba.h", scuba::contracts::SCUBA_H);
    let program = |guard: &str, given: &str| {
        format!(
            "#include <scuba.h>\n#define MOST 4096\n\
             template <class T> __global__ void k(T *x, int n) {{\n  SCUBA_REQUIRES(n <= MOST);\n  SCUBA_ELEMENTS(x, n);\n\
             \x20 int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if ({guard}) x[i] = 0;\n}}\n\
             SCUBA_ENTRY void zero(float *x, int n) {{\n  SCUBA_EXTENT(x, {given});\n  SCUBA_REQUIRES(\"n >= 1 && n <= 4096\");\n\
             \x20 k<<<n / 256 + 1, 256>>>(x, n);\n}}\n"
        )
    };
    let check = |text: &str, status: i32| -> Report {
        p.write("k.cu", text);
        let said = p.scuba(["check", "k.cu", "--message-format", "json", "--", "-Iinc"]).status(status);
        serde_json::from_str(&said.out).unwrap()
    };
    let r = check(&program("i < n", "n * sizeof(float)"), 0);
    assert_eq!((r.summary.safe_assuming, r.summary.unknown, r.findings.len()), (1, 0, 0), "{:?}", r.summary);
    let rules = |r: &Report| r.findings.iter().map(|f| (f.rule.name(), f.access.position.line)).collect::<Vec<_>>();
    assert_eq!(rules(&check(&program("i <= n", "n * sizeof(float)"), 1)), [("oob-global", 7)]);
    // The entry point is promised less than the kernel needs, which is owed its contract.
    assert_eq!(rules(&check(&program("i < n - 1", "4 * n - 4"), 1)), [("contract", 12)]);
    p.write("k.cu", &program("i < n", "4 *"));
    let said = p.scuba(["check", "k.cu", "--", "-Iinc"]).status(0);
    assert!(said.err.contains("k.cu:10: `extent(x) >= (4 *)` is not a contract"), "{said:?}");
    // Compilers see nothing.
    p.write("k.cu", &program("i < n", "4 *"));
    let nvcc =
        std::process::Command::new(super::nvcc()).current_dir(p.root()).args(["-Iinc", "-c", "k.cu"]).output().unwrap();
    assert!(nvcc.status.success(), "{}", String::from_utf8_lossy(&nvcc.stderr));
}

#[test]
fn what_functions_of_the_host_need_is_found_too() {
    let p = Project::new();
    p.write("k.cu", &library("i < n"));
    let json: Value = serde_json::from_str(&p.scuba(["contracts", "k.cu", "--format", "json"]).status(0).out).unwrap();
    let all: Vec<(String, bool, String, String)> = json["functions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|f| {
            f["requires"].as_array().unwrap().iter().map(|r| {
                let text = |v: &Value| v.as_str().unwrap().to_owned();
                (text(&f["function"]), f["kernel"].as_bool().unwrap(), text(&r["condition"]), text(&r["evidence"]))
            })
        })
        .collect();
    let expected = [
        ("k(float*, int)", true, "elements(x) >= n", "needed"),
        ("zero_all(float*)", false, "elements(x) >= 1000", "needed"),
    ];
    assert_eq!(all, expected.map(|(f, k, c, e)| (f.to_owned(), k, c.to_owned(), e.to_owned())));
    // Called by another, it is looked at by itself only where anybody may call it.
    p.write("scuba.toml", "[entry]\nfunctions = [\"zero\"]\n");
    let text = p.scuba(["contracts", "k.cu", "--function", "zero"]).status(0).out;
    assert!(text.contains("zero  k.cu:3\n") && text.contains("elements(x) >= n  needed"), "{text}");
}

/// Under a condition that can never hold everything would be safe.
#[test]
fn nothing_is_required_that_can_never_hold() {
    let p = Project::new();
    p.write(
        "k.cu",
        "__global__ void last(int n) { extern __shared__ short d[]; d[n - 1] = 1; }\n\
         __global__ void back(int n) { extern __shared__ int e[]; e[n - 1 - threadIdx.x] = 1; }\n",
    );
    let json: Value = serde_json::from_str(&p.scuba(["contracts", "k.cu", "--format", "json"]).status(0).out).unwrap();
    for f in json["functions"].as_array().unwrap() {
        for r in f["requires"].as_array().unwrap() {
            assert!(!matches!(r["condition"].as_str().unwrap(), "false" | "blockDim.x <= n && n <= 0"), "{f}");
        }
    }
    let toml = p.scuba(["contracts", "k.cu", "--format", "toml"]).status(0).out;
    p.write("scuba.toml", &toml);
    let said = p.scuba(["check", "k.cu"]).status(0);
    assert!(!said.err.contains("never hold"), "{said:?}");
}

/// What a contract says of a pointer is assumed where nothing is known of that; what else it says is owed all the same.
#[test]
fn what_is_known_of_a_call_is_owed_beside_what_is_not() {
    let p = Project::new();
    p.write("scuba.toml", "[[contract]]\nfunction = \"k\"\nrequires = [\"elements(x) >= n && n <= 100\"]\n");
    let checked = |n: u32| -> Report {
        p.write(
            "k.cu",
            &format!(
                "__global__ void k(float *x, int n) {{ int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] = 0; }}\n\
                 void f(float *x) {{ k<<<4, 256>>>(x, {n}); }}\n"
            ),
        );
        let said = p.scuba(["check", "k.cu", "--message-format", "json"]).status(0);
        serde_json::from_str(&said.out).unwrap()
    };
    let r = checked(100);
    assert_eq!((r.findings.len(), r.summary.safe_assuming), (0, 1), "{:?}", r.summary);
    let r = checked(1000);
    let found: Vec<_> = r.findings.iter().map(|f| (f.rule.name(), f.access.array.as_str())).collect();
    assert_eq!(found, [("contract", "n <= 100")], "{:?}", r.summary);
}

/// The build goes on, with one line, unless it is strict.
#[test]
fn a_build_does_not_fail_by_what_is_wrong_with_a_contract() {
    let p = Project::new();
    p.write("a.cu", GATHER);
    contract(&p, "gather", &["row > 0"]);
    let build = |strict: Option<&str>| {
        let mut c = p.command();
        c.args(["build", "--", "sh", "-c", "nvcc -arch=sm_80 -c a.cu -o a.o"]);
        if let Some(value) = strict {
            c.env("SCUBA_STRICT", value);
        }
        let path = super::nvcc().parent().unwrap().display().to_string();
        c.env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()));
        Said::from(c.output().unwrap())
    };
    let said = build(None).status(0);
    let lines: Vec<_> = said.err.lines().filter(|l| l.contains("scuba.toml:4: `row > 0`")).collect();
    assert_eq!(lines.len(), 1, "{said:?}");
    assert!(!said.err.contains("error"), "{said:?}");
    let said = build(Some("1"));
    assert_ne!(said.status, 0, "{said:?}");
}

#[test]
fn a_contract_under_which_nothing_is_launched_is_an_error() {
    let p = Project::new();
    let source = "\
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
extern \"C\" int op_fill(float *x, int n) { if (n < 1 || n > 100000) return 1; fill<<<(n + 255) / 256, 256>>>(x, n); return 0; }
";
    p.write("a.cu", source);
    for (required, wrong) in [("n < 1", true), ("n >= 1", false), ("n < 1 || elements(x) >= n", false)] {
        let settings = format!(
            "[entry]\nfunctions = [\"op_*\"]\n[[contract]]\nfunction = \"op_fill\"\nrequires = [\"{required}\"]\n"
        );
        p.write("scuba.toml", &settings);
        let said = p.scuba(["check", "a.cu"]).status(if wrong { 2 } else { 0 });
        let told = said.err.contains("under the contract of `op_fill` no launch of it is reachable: it is not assumed");
        assert_eq!(told, wrong, "{said:?}");
    }
}

#[test]
fn what_contradicts_a_call_is_not_assumed_there() {
    let p = Project::new();
    // Of what the caller of `op` gives nothing is known, so that the kernel's contract is taken for granted at the launch: it says that there is none.
    let source = "\
__global__ void fill(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
void op(float *x) {
  fill<<<1, 32>>>(x, 4);
  float *y;
  cudaMalloc(&y, 4);
  fill<<<1, 32>>>(y, 2);
}
";
    p.write("a.cu", source);
    let stated = |required: &str| {
        let settings =
            "[entry]\nfunctions = [\"op*\"]\n[[contract]]\nfunction = \"fill*\"\nrequires = [\"CONDITION\"]\n";
        p.write("scuba.toml", &settings.replace("CONDITION", required));
        checked(&p)
    };
    let never = "never holds where `fill(float*, int)` is called; it is not assumed there";
    let (r, err) = stated("elements(x) >= n || n > 100");
    assert!(r.findings.iter().any(|f| f.rule.name() == "oob-global") && !err.contains(never), "{err}");
    let (r, err) = stated("elements(x) < 0 || n > 100");
    assert!(r.findings.iter().any(|f| f.rule.name() == "oob-global") && err.contains(never), "{err}");
    drop(p.scuba(["check", "a.cu"]).status(2));
}

#[test]
fn calls_in_kernels_owe_contracts() {
    let p = Project::new();
    let source = "\
__device__ __noinline__ void put(float *row, int n) { for (int k = 0; k < n; k++) row[k] = k; }
__global__ void rows(float *x, int n, int width) { int i = threadIdx.x; if (i < n) put(x + i * width, MANY); }
int main() {
  float *x; cudaMalloc(&x, 32 * 8 * sizeof(float));
  rows<<<1, 32>>>(x, 32, 8);
  return cudaDeviceSynchronize();
}
";
    contract(&p, "put", &["elements(row) >= n"]);
    for (many, expected) in [("8", 0), ("9", 1)] {
        p.write("a.cu", &source.replace("MANY", many));
        let (r, err) = checked(&p);
        let broken: Vec<_> = r.findings.iter().filter(|f| f.rule.name() == "contract").collect();
        assert_eq!(broken.len(), expected, "{err}");
        for f in broken {
            assert_eq!((format!("{:?}", f.verdict), f.access.array.as_str()), ("Proved".into(), "elements(row) >= n"));
            assert_eq!(f.witness.as_ref().unwrap().thread, [31, 0, 0], "{f:?}");
        }
    }
}

#[test]
fn conditions_of_quotients_and_remainders_are_found() {
    let p = Project::new();
    let source = "\
__global__ void half_of(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i / 2] = 0; }
__global__ void round_robin(float *a, const float *b, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < m) a[i] = b[i % n]; }
__global__ void column_of(float *a, const float *by, int rows, int cols) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows * cols) a[i] *= by[i % cols]; }
";
    p.write("a.cu", source);
    let said = p.scuba(["contracts", "a.cu"]).status(0);
    for expected in ["elements(b) >= n", "elements(by) >= cols", "2 * elements(a) > n"] {
        assert!(said.out.contains(expected), "{expected}: {}", said.out);
    }
    assert!(!said.out.contains("undecided for"), "{}", said.out);
    let toml = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &toml.out);
    let (r, err) = checked(&p);
    assert_eq!((r.summary.unknown, r.findings.len()), (0, 0), "{err}");
}

#[test]
fn what_a_function_checks_itself_is_no_part_of_what_it_needs() {
    let p = Project::new();
    let source = "\
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
extern \"C\" int op_fill(float *x, float *y, int n) {
  if (n < 1 || n > 100000) return 1;
  fill<<<(n + 255) / 256, 256>>>(x, n);
  if (y != nullptr) fill<<<(n + 255) / 256, 256>>>(y, n);
  return 0;
}
";
    p.write("a.cu", source);
    let said = p.scuba(["contracts", "a.cu", "--function", "op_fill"]).status(0);
    let lines: Vec<_> = said.out.lines().map(str::trim).filter(|l| l.contains("elements")).collect();
    assert!(lines.iter().any(|l| l.starts_with("elements(x) >= n ") && l.contains("needed")), "{}", said.out);
    assert!(lines.iter().any(|l| l.contains("y == nullptr") && l.contains("elements(y) >= n")), "{}", said.out);
    assert!(!said.out.contains("100000"), "{}", said.out);
}

#[test]
fn quotients_that_are_rounded_up_have_any_divisor() {
    let p = Project::new();
    p.write("a.cu", "__global__ void parts(float *a, int n, int k) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < (n + k - 1) / k) a[i] = 0; }\n");
    contract(&p, "parts", &["k >= 1 && n >= 0 && k <= 1000 && n <= 1000000", "elements(a) >= ceil_div(n, k)"]);
    let (r, err) = checked(&p);
    assert_eq!((r.summary.safe_assuming, r.summary.unknown), (1, 0), "{err}");
    contract(&p, "parts", &["k >= 1 && n >= 0 && k <= 1000 && n <= 1000000", "elements(a) >= n / k"]);
    let (r, err) = checked(&p);
    assert_eq!(r.summary.unknown, 1, "{err}");
}

#[test]
fn nothing_is_said_of_a_kernel_that_was_not_followed_to_its_end() {
    let p = Project::new();
    p.write(
        "a.cu",
        "__device__ __noinline__ void fill(int *s, int *out, int i, int n) {\n\
           s[i] = 1;\n\
           if (i < n) fill(s, out, i + 1, n); else out[i] = 2;\n\
         }\n\
         __global__ void k(int *out, int n) { __shared__ int s[100]; fill(s, out, 0, n); }\n",
    );
    // In rounds that were not followed the array is left: `s[i]` is safe as far as it was.
    let (r, _) = checked(&p);
    assert_eq!((r.summary.safe, r.summary.unknown), (0, 2), "{:?}", r.summary);
    let json: Value = serde_json::from_str(&p.scuba(["contracts", "a.cu", "--format", "json"]).status(0).out).unwrap();
    let k = &json["functions"][0];
    let open: Vec<&str> = k["open"].as_array().unwrap().iter().map(|o| o["array"].as_str().unwrap()).collect();
    assert_eq!(
        (k["safe"].as_u64(), open, k["requires"].as_array().unwrap().len()),
        (Some(0), vec!["s", "out"], 0),
        "{json}"
    );
    let human = p.scuba(["contracts", "a.cu"]).status(0).out;
    assert!(human.contains("undecided for 2:s, 3:out: the kernel was not followed to its end"), "{human}");
    assert!(!human.contains("nothing"), "{human}");
}

#[test]
fn what_arrays_hold_that_indices_are_read_from_is_found() {
    let p = Project::new();
    let source = "\
struct Arc { int to; float weight; };
__global__ void rows(const int *idx, const float *x, float *y, int n, int cols, int ld) { int r = blockIdx.x, c = threadIdx.x; if (r < n && c < cols) y[r * cols + c] = x[idx[r] * ld + c]; }
__global__ void csr(const int *row, const int *col, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = row[i]; j < row[i + 1]; j++) sum += x[col[j]];
  y[i] = sum;
}
__global__ void arcs(const Arc *arcs, float *score, int n, int flag) { int k = blockIdx.x * blockDim.x + threadIdx.x; if (flag && k < n) score[arcs[k].to] += arcs[k].weight; }
__global__ void changed(int *idx, float *x, int n) { int k = blockIdx.x * blockDim.x + threadIdx.x; if (k < n) { idx[k] += 1; __syncthreads(); x[idx[k]] = 1; } }
";
    p.write("a.cu", source);
    let said = p.scuba(["contracts", "a.cu"]).status(0).out;
    for expected in [
        "forall i in [0, n): idx[i] * ld >= 0 && elements(x) >= idx[i] * ld + cols",
        "forall i in [0, n): flag == 0 || arcs[i].to >= 0 && elements(score) > arcs[i].to",
        "forall i in [0, n + 1): elements(col) >= row[i]",
        "elements(x) > col[i]",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // What the kernel writes itself is no number that it was given.
    let changed: Vec<&str> = said.lines().skip_while(|l| !l.starts_with("changed")).take(5).collect();
    assert!(changed.iter().any(|l| l.contains("undecided for") && l.contains(":x")), "{said}");
    let toml = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0).out;
    let covered = |p: &Project| {
        let (r, err) = checked(p);
        let open: Vec<_> = r.undecided.iter().map(|u| (u.kernel.clone(), u.array.clone())).collect();
        assert!(open.iter().all(|(kernel, _)| kernel.starts_with("changed")), "{open:?}: {err}");
        assert!(r.findings.is_empty(), "{err}");
    };
    p.write("scuba.toml", &toml);
    covered(&p);
}

#[test]
fn conditions_of_quotients_by_parameters_are_found() {
    let p = Project::new();
    let source = "\
__global__ void parts(const float *a, float *y, int n, int k) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a[i / k]; }
__global__ void rows(const float *by, float *x, int rows, int cols) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows * cols) x[i] *= by[i / cols]; }
__global__ void pitched(const float *in, float *out, int rows, int cols, int ld) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows * cols) out[i] = in[i / cols * ld + i % cols]; }
__global__ void nchw(const float *in, float *out, int n, int c, int h, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * c * h * w) return;
  int x = i % w, y = (i / w) % h, ch = (i / w / h) % c, b = i / w / h / c;
  out[i] = in[((b * c + ch) * h + y) * w + x];
}
";
    p.write("a.cu", source);
    let said = p.scuba(["contracts", "a.cu"]).status(0).out;
    for expected in [
        "k >= 1 && elements(a) * k >= n",
        "cols >= 1 && elements(by) >= rows",
        "cols >= 1 && ld >= 0 && elements(in) >= ld * rows + cols - ld",
        "c >= 1 && h >= 1 && w >= 1 && elements(in) >= c * h * n * w",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let toml = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &toml.out);
    let (r, err) = checked(&p);
    assert_eq!((r.summary.unknown, r.findings.len()), (0, 0), "{err}");
}

/// A negative bound is a very large one to an unsigned index, and so is `n - 1` of an unsigned 0.
#[test]
fn bounds_that_are_read_as_unsigned_must_not_be_negative() {
    let p = Project::new();
    let source = "\
__global__ void below(float *a, int n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 0; }
__global__ void pairs(float *a, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - 1) a[i] = a[i + 1]; }
";
    p.write("a.cu", source);
    let said = p.scuba(["contracts", "a.cu"]).status(0).out;
    for expected in ["n >= 0", "elements(a) >= n", "n >= 1"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let toml = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &toml.out);
    let (r, err) = checked(&p);
    assert_eq!((r.summary.unknown, r.summary.accesses, r.findings.len()), (0, 3, 0), "{err}");
    // Without it a negative bound lets everything through.
    contract(&p, "below", &["elements(a) >= n"]);
    let (r, _) = checked(&p);
    assert_eq!((r.summary.unknown, r.findings.len()), (3, 0), "{:?}", r.undecided);
}

/// Of conditions that cannot hold together some stay, and what they cover is decided by them; the others are not printed.
#[test]
fn conditions_that_cannot_hold_together_are_not_all_printed() {
    let p = Project::new();
    let source = "\
__global__ void both(float *a, int n) {
  __shared__ float s[10], t[10];
  s[n] = 1;
  if (threadIdx.x == 0) a[n] = s[n];
  t[n - 20] = 2;
}
";
    p.write("a.cu", source);
    let human = p.scuba(["contracts", "a.cu"]).status(0).out;
    assert!(human.contains("may contradict those of the other accesses"), "{human}");
    let toml = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &toml.out);
    let (r, err) = checked(&p);
    assert!(!err.contains("never hold"), "{err}");
    assert_eq!((r.summary.accesses, r.summary.unknown, r.findings.len()), (4, 1, 0), "{err}{}", toml.out);
}

/// A parameter stays what it is: nobody passes the extreme of its type.
#[test]
fn conditions_speak_of_parameters_not_of_the_extremes_of_their_types() {
    let p = Project::new();
    let source = "\
extern __shared__ unsigned char tile[];
__global__ void sobel(unsigned char *out, short pitch, short w) {
  tile[threadIdx.y * pitch + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < w) out[threadIdx.x] = tile[(threadIdx.y + 2) * pitch + threadIdx.x];
}
";
    p.write("a.cu", source);
    let said = p.scuba(["contracts", "a.cu"]).status(0).out;
    assert!(!said.contains("32767") && !said.contains("32768"), "{said}");
    assert!(said.contains("pitch >= 0"), "{said}");
    let toml = p.scuba(["contracts", "a.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &toml.out);
    let (r, err) = checked(&p);
    assert_eq!((r.summary.unknown, r.findings.len()), (0, 0), "{err}{}", toml.out);
}

#[test]
fn accesses_that_are_never_decided_leave_the_others_of_a_kernel_their_part() {
    let hopeless: String = (1..25)
        .map(|i| format!("  out[(x * {i} + y * z) % (w * w + {i}) * (z % 7 + y * {i}) % (x * x + 1)] = {i};\n"))
        .collect();
    let p = Project::new();
    p.write(
        "a.cu",
        &format!(
            "__global__ void k(float *out, float *a, unsigned n, unsigned x, unsigned y, unsigned z, unsigned w) {{\n{hopeless}  \
             if (threadIdx.x < n) a[threadIdx.x] = 1;\n}}\n"
        ),
    );
    let stated = "[[contract]]\nfunction = \"k\"\nrequires = [\"elements(a) >= n\", \"elements(out) >= 1\"]\n";
    p.write("scuba.toml", &format!("[limits]\nwork = 1\n{stated}"));
    let (r, _) = checked(&p);
    assert_eq!((r.summary.safe_assuming, r.summary.unknown), (1, 24), "{:?}", r.undecided);
}

#[test]
fn kernels_are_looked_at_side_by_side_and_what_is_found_does_not_depend_on_it() {
    let p = Project::new();
    let kernels: String = (1..6)
        .map(|i| {
            format!("__global__ void k{i}(float *a, unsigned n) {{ if (threadIdx.x < n) a[{i} * threadIdx.x] = 1; }}\n")
        })
        .collect();
    let host =
        "void run(float *a, unsigned n) { k1<<<1, 32>>>(a, n); }\nvoid other(float *a) { k2<<<1, 32>>>(a, 7); }\n";
    p.write("a.cu", &format!("{kernels}{host}"));
    let found = |jobs: &str| p.scuba(["contracts", "a.cu", "--jobs", jobs]).out;
    let alone = found("1");
    assert!(alone.contains("elements(a) >= 5 * n - 4"), "{alone}");
    assert_eq!(found("3"), alone);
}
