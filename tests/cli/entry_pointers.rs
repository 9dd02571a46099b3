//! Raw pointers of entry points: no code can check their extents, and a contract can state them.

use super::{Project, Said};
use scuba::finding::{Report, Verdict};
use scuba::rules::{Level, Rule};

/// Entry points of a library in C: `add` with two pointers in one kernel, `all` with one in two kernels.
const LIBRARY: &str = "\
__global__ void sum(float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}
__global__ void zero(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
extern \"C\" void add(float *x, const float *y, int n) {
  if (n > 0) sum<<<(n + 255) / 256, 256>>>(x, y, n);
}
extern \"C\" void all(float *data, int rows, int columns) {
  if (rows < 1 || columns < 1 || rows > 1000 || columns > 1000) return;
  zero<<<(rows + 255) / 256, 256>>>(data, rows);
  zero<<<(rows * columns + 255) / 256, 256>>>(data, rows * columns);
}
";

/// Checks the library with entry points and more settings.
fn checked(source: &str, entries: &str, more: &str) -> (Report, Said) {
    let p = Project::new();
    p.write("k.cu", source);
    p.write("scuba.toml", &format!("[entry]\nfunctions = [{entries}]\n{more}"));
    let json = Said::from(p.command().args(["check", "k.cu", "--message-format", "json"]).output().unwrap());
    let r: Report = serde_json::from_str(&json.out).unwrap_or_else(|e| panic!("{e}: {json:?}"));
    assert!(r.not_analysed.is_empty(), "{:?}", r.not_analysed);
    (r, Said::from(p.command().args(["check", "k.cu"]).output().unwrap()))
}

/// Rule, verdict, level and missing condition of each finding.
fn findings(r: &Report) -> Vec<(Rule, Verdict, Level, &str)> {
    r.findings
        .iter()
        .map(|f| (f.rule, f.verdict, f.level, f.missing_check.as_ref().map_or("", |m| m.condition.as_str())))
        .collect()
}

#[test]
fn conditions_of_several_pointers_hold_together() {
    let source = "\
__global__ void scale(float *x, const float *w, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] *= w ? w[i] : 2.0f;
}
extern \"C\" void lib_scale(float *x, const float *w, int n) {
  if (n > 0 && n <= 256) scale<<<1, 256>>>(x, w, n);
}
";
    let (r, _) = checked(source, "\"lib_scale\"", "");
    let condition = "elements(x) >= n && (w == nullptr || elements(w) >= n)";
    assert_eq!(findings(&r), [(Rule::UncheckedArgument, Verdict::Possible, Level::Warn, condition)]);
    let stated = format!("[[contract]]\nfunction = \"lib_scale\"\nrequires = [\"{condition}\"]\n");
    let (r, _) = checked(source, "\"lib_scale\"", &stated);
    assert_eq!((findings(&r), r.summary.unknown), (vec![], 0), "{:?}", r.undecided);
}

#[test]
fn an_entry_point_that_cannot_check_its_pointers_warns_once() {
    let (r, said) = checked(LIBRARY, "\"add\", \"all\"", "");
    let warned = |condition| (Rule::UncheckedArgument, Verdict::Possible, Level::Warn, condition);
    assert_eq!(
        findings(&r),
        [
            warned("elements(x) >= n && elements(y) >= n"),
            warned("elements(data) >= columns * rows && elements(data) >= rows")
        ],
        "{:?}",
        r.undecided
    );
    assert_eq!((r.summary.unknown, r.summary.safe, r.summary.accesses), (0, 0, 3));
    assert_eq!(said.status, 0, "{said:?}");
    let help =
        "[[contract]]\n          function = \"add\"\n          requires = [\"elements(x) >= n\", \"elements(y) >= n\"]";
    assert!(said.err.contains(help), "{}", said.err);
    assert!(said.err.contains("warning[unchecked-argument]: `all` cannot check how long `data` is"), "{}", said.err);
}

#[test]
fn the_contract_that_the_help_names_decides_the_accesses() {
    let contracts = "[[contract]]\nfunction = \"add\"\nrequires = [\"elements(x) >= n && elements(y) >= n\"]\n\
                     [[contract]]\nfunction = \"all\"\nrequires = [\"elements(data) >= rows * columns\"]\n";
    let (r, _) = checked(LIBRARY, "\"add\", \"all\"", contracts);
    assert_eq!((r.summary.safe, r.findings.len()), (3, 0), "{:?} {:?}", findings(&r), r.undecided);
    // A contract that promises less does not hide what it leaves open.
    let (r, _) = checked(LIBRARY, "\"add\"", "[[contract]]\nfunction = \"add\"\nrequires = [\"elements(x) >= n\"]\n");
    assert_eq!(r.findings.len(), 1, "{:?}", r.undecided);
    assert_eq!(findings(&r)[0].3, "elements(y) >= n");
    let (r, _) = checked(&LIBRARY.replace("i < n) x[i] = 0", "i <= n) x[i] = 0"), "\"all\"", contracts);
    assert!(r.findings.iter().any(|f| f.verdict == Verdict::Proved), "{:?} {:?}", findings(&r), r.undecided);
}

#[test]
fn an_access_names_the_conditions_that_it_rests_on() {
    let source = "\
__global__ void gather(float *out, const float *x, const int *idx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[idx[i]];
}
extern \"C\" void take(float *out, const float *x, const int *idx, int n) {
  if (n > 0) gather<<<(n + 255) / 256, 256>>>(out, x, idx, n);
}
";
    let each = "forall i in [0, n): idx[i] >= 0 && idx[i] < elements(x)";
    let p = Project::new();
    p.write("k.cu", source);
    p.write(
        "scuba.toml",
        &format!(
            "[entry]\nfunctions = [\"take\"]\n[[contract]]\nfunction = \"take\"\n\
             requires = [\"elements(out) >= n\", \"elements(idx) >= n\", \"{each}\"]\n"
        ),
    );
    let said = Said::from(p.command().args(["check", "-v", "k.cu"]).output().unwrap());
    let of = |array: &str| {
        let line = said.err.lines().find(|l| l.contains(&format!(": `{array}` is safe only under an assumption:")));
        line.unwrap_or_else(|| panic!("{array}: {}", said.err)).to_owned()
    };
    let names = |array: &str| ["`elements(out) >= n`", "`elements(idx) >= n`", each].map(|c| of(array).contains(c));
    assert_eq!(names("out"), [true, false, false], "{}", said.err);
    assert_eq!(names("idx"), [false, true, false], "{}", said.err);
    assert_eq!(names("x"), [false, false, true], "{}", said.err);
    assert!(
        said.err.contains("3 of the safe ones only under an assumption (") && !said.err.contains("-v"),
        "{}",
        said.err
    );
}

#[test]
fn denied_it_fails_the_check() {
    let (_, said) = checked(LIBRARY, "\"add\"", "[levels]\nunchecked-argument = \"deny\"\n");
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn an_index_that_the_memory_holds_is_no_matter_of_extents() {
    let source = LIBRARY.replace("x[i] += y[i]", "x[int(y[i])] = 1");
    let (r, _) = checked(&source, "\"add\"", "");
    assert_eq!(r.summary.safe, 0);
    assert!(r.findings.iter().all(|f| f.access.array != "x"), "{:?}", findings(&r));
    assert!(r.summary.unknown > 0, "{:?}", r.undecided);
}

#[test]
fn functions_that_constructors_set_are_followed_to_the_pointers() {
    let table = "\
struct Registry {
  using F = void (*)(float *, int);
  F table[2];
  Registry() { table[0] = table[1] = nullptr; }
  static Registry &instance() { static Registry r; return r; }
  void add(int at, F f) { table[at] = f; }
};
";
    let kernel = "\
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
void impl(float *x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }
";
    let in_table = "\
static struct Registerer { Registerer() { Registry::instance().add(1, impl); } } registerer;
extern \"C\" int op(float *x, int n) {
  auto f = Registry::instance().table[1];
  if (f == nullptr) return 1;
  f(x, n);
  return 0;
}
";
    let alone = "\
static void (*f)(float *, int) = nullptr;
static struct R { R() { f = impl; } } r;
extern \"C\" int op(float *x, int n) { if (!f) return 1; f(x, n); return 0; }
";
    for source in [format!("{table}{kernel}{in_table}"), format!("{kernel}{alone}")] {
        let (r, _) = checked(&source, "\"op\"", "");
        assert_eq!(
            findings(&r),
            [(Rule::UncheckedArgument, Verdict::Possible, Level::Warn, "elements(x) >= n")],
            "{:?}",
            r.undecided
        );
    }
}
