//! Structures that callers give: members, what pointers in them lead to, and the invariants of their types.

use super::{Project, Said};
use scuba::finding::Report;

const TENSORS: &str = "\
#include <cuda_runtime.h>
struct tensor { int type; long ne[4]; unsigned long nb[4]; tensor *src[4]; void *data; };
__global__ void scale(float *y, const float *x, long n, float a) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
extern \"C\" void op_scale(tensor *dst) {
  const tensor *src = dst->src[0];
  long n = src->ne[0] * src->ne[1];
  if (n < 1 || n > 1000000 || GUARD) return;
  scale<<<(n + 255) / 256, 256>>>((float *)dst->data, (const float *)src->data, n, 2);
}
struct Args { float *out; const float *in; unsigned n; };
__global__ void byval(Args a) { unsigned i = threadIdx.x; if (i < a.n) a.out[i] = a.in[i]; }
";

const SETTINGS: &str = "\
[entry]
functions = [\"op_*\"]
[[contract]]
function = \"byval\"
requires = [\"elements(a.out) >= a.n\", \"elements(a.in) >= a.n\"]
[[contract]]
type = \"tensor\"
invariant = [\"extent(data) >= 4 * ne[0] * ne[1]\", \"ne[0] >= 1 && ne[1] >= 1\"]
";

fn checked(source: &str, settings: &str) -> (Report, Said) {
    let p = Project::new();
    p.write("k.cu", source);
    p.write("scuba.toml", settings);
    let mut c = p.command();
    c.args(["check", "k.cu", "--message-format", "json"]);
    let said = Said::from(c.output().unwrap());
    (serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}")), said)
}

#[test]
fn invariants_hold_of_each_object_that_parameters_lead_to() {
    // Nothing says that both have as many elements.
    let (r, said) = checked(&TENSORS.replace("GUARD", "false"), SETTINGS);
    let [f] = r.findings.as_slice() else { panic!("{said:?}") };
    assert_eq!(
        (f.rule.name(), format!("{:?}", f.verdict), f.access.array.as_str()),
        ("unchecked-argument", "Proved".into(), "y")
    );
    let w = f.witness.as_ref().unwrap();
    let input = |name: &str| -> i64 {
        w.inputs
            .iter()
            .find(|i| i.name == name)
            .unwrap_or_else(|| panic!("{name}: {:?}", w.inputs))
            .value
            .parse()
            .unwrap()
    };
    let elements = |t: &str| input(&format!("{t}->ne[0]")) * input(&format!("{t}->ne[1]"));
    assert!(elements("dst->src[0]") > elements("dst"), "{w:?}");
    assert_eq!(w.extent_bytes, input("extent(dst->data)"), "{w:?}");
    assert!(w.extent_bytes >= 4 * elements("dst"), "the witness keeps to the invariant: {w:?}");
    // The check that was missing.
    let guarded = TENSORS.replace("GUARD", "dst->ne[0] * dst->ne[1] < n");
    let (r, said) = checked(&guarded, SETTINGS);
    assert!(r.findings.is_empty(), "{said:?}");
    assert_eq!((r.summary.safe, r.summary.safe_assuming, r.summary.accesses), (4, 4, 4), "{:?}", r.undecided);
    // Of another type nothing is said.
    let (r, _) = checked(&guarded, &SETTINGS.replace("\"tensor\"", "\"tensors\""));
    assert_eq!((r.summary.safe, r.summary.unknown), (2, 2), "{:?}", r.summary);
    // What the code itself makes is what it made it.
    let made = guarded.replace("  long n =", "  tensor own = *dst; own.ne[0] = 7; dst = &own;\n  long n =");
    let (r, said) = checked(&made, SETTINGS);
    assert!(r.summary.safe < 4, "{said:?}");
}

#[test]
fn what_can_never_hold_of_objects_is_not_assumed() {
    let settings = SETTINGS.replace("ne[0] >= 1 && ne[1] >= 1", "ne[0] >= 3 && ne[0] < 3");
    let (r, said) = checked(&TENSORS.replace("GUARD", "false"), &settings);
    assert!(r.summary.safe < 4, "{:?}", r.summary);
    assert!(said.err.contains("can never hold") || said.err.contains("never holds"), "{said:?}");
    // A member that is none.
    let (_, said) = checked(&TENSORS.replace("GUARD", "false"), &SETTINGS.replace("ne[1] >= 1", "nr[1] >= 1"));
    assert!(said.err.contains("error: type `tensor` has no `nr`") && said.err.contains("did you mean"), "{said:?}");
    assert_eq!(said.status, 2, "{said:?}");
}

#[test]
fn callers_of_entry_points_owe_the_invariants_of_what_they_give() {
    let main = "int main() { tensor d = {}, s = {}; float *p; cudaMalloc(&p, 64); d.src[0] = &s; d.data = s.data = p;\n\
                d.ne[0] = SIZE; s.ne[0] = 4; d.ne[1] = s.ne[1] = 4; op_scale(&d); return cudaDeviceSynchronize(); }\n";
    let guarded = TENSORS.replace("GUARD", "dst->ne[0] * dst->ne[1] < n");
    for (size, broken) in [("4", 0), ("5", 1)] {
        let (r, said) = checked(&format!("{guarded}{}", main.replace("SIZE", size)), SETTINGS);
        let found: Vec<_> = r.findings.iter().filter(|f| f.rule.name() == "contract").collect();
        assert_eq!(found.len(), broken, "{said:?}");
        for f in found {
            assert!(f.access.array.contains("extent(dst->data) >= 4 * dst->ne[0] * dst->ne[1]"), "{f:?}");
            assert_eq!(format!("{:?}", f.verdict), "Proved", "{f:?}");
        }
    }
}

#[test]
fn a_replay_gives_nothing_that_breaks_an_invariant() {
    // How many elements there are is not followed, only replayed: small inputs are tried beside those of a model, and what they break is no proof.
    let source = "\
#include <algorithm>
struct matrix { float *data; int rows; };
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i LESS n) x[i] = 1; }
void op_fill(matrix *m) {
  int turned[2] = {m->rows, 0};
  std::reverse(turned, turned + 2);
  int n = turned[1];
  if (n < 1 || n > 100) return;
  fill<<<1, 128>>>(m->data, n);
}
";
    let settings =
        "[entry]\nfunctions = [\"op_*\"]\n[[contract]]\ntype = \"matrix\"\ninvariant = [\"elements(data) >= rows\"]\n";
    let proved = |source: &str| {
        let (r, said) = checked(source, settings);
        (r.findings.iter().filter(|f| format!("{:?}", f.verdict) == "Proved").count(), said)
    };
    let (wrong, said) = proved(&source.replace("LESS", "<="));
    assert_eq!(wrong, 1, "{said:?}");
    let (right, said) = proved(&source.replace("LESS", "<"));
    assert_eq!(right, 0, "{said:?}");
}

#[test]
fn what_members_must_be_is_found() {
    let p = Project::new();
    p.write("k.cu", &TENSORS.replace("GUARD", "false"));
    let said = p.scuba(["contracts", "k.cu", "--function", "op_scale"]).status(0);
    for t in ["dst", "dst->src[0]"] {
        let condition = format!("extent({t}->data) >= 4 * dst->src[0]->ne[0] * dst->src[0]->ne[1]  needed");
        assert!(said.out.contains(&condition), "{said:?}");
    }
    // What is printed decides what it covers.
    let toml = p.scuba(["contracts", "k.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &format!("{}\n[entry]\nfunctions = [\"op_*\"]\n", toml.out));
    let said = p.scuba(["check", "k.cu", "--message-format", "json"]).status(0);
    let r: Report = serde_json::from_str(&said.out).unwrap();
    assert_eq!((r.summary.accesses, r.summary.unknown, r.findings.len()), (4, 0, 0), "{:?}", r.undecided);
}

/// A kernel that looks up places in an array.
const GATHER: &str = "\
__global__ void gather(OUT *y, const float *x, const int *idx, unsigned n, int m) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[idx[i]];
}
";

#[test]
fn what_every_element_of_an_array_is_can_be_stated() {
    let every = "forall i in [0, n): 0 <= idx[i] && idx[i] < m";
    let settings = |every: &str| {
        format!(
            "[[contract]]\nfunction = \"gather\"\nrequires = [\"elements(y) >= n\", \"elements(idx) >= n\", \"{every}\", \"elements(x) >= m\"]\n"
        )
    };
    let (r, said) = checked(&GATHER.replace("OUT", "float"), &settings(every));
    assert_eq!((r.summary.safe, r.summary.safe_assuming), (3, 3), "{said:?}");
    for weaker in ["forall i in [1, n): 0 <= idx[i] && idx[i] < m", "forall i in [0, n): 0 <= idx[i] && idx[i] <= m"] {
        let (r, said) = checked(&GATHER.replace("OUT", "float"), &settings(weaker));
        assert_eq!((r.summary.safe, r.summary.unknown, r.findings.len()), (2, 1, 0), "{weaker}: {said:?}");
    }
    // What is written may be the array itself, under another name.
    let (r, said) = checked(&GATHER.replace("OUT", "int"), &settings(every));
    assert_eq!((r.summary.safe, r.summary.unknown), (2, 1), "{said:?}");
    let apart = settings(every).replace("\"elements(y) >= n\"", "\"elements(y) >= n\", \"disjoint(y, idx)\"");
    let (r, said) = checked(&GATHER.replace("OUT", "int"), &apart);
    assert_eq!(r.summary.safe, 3, "{said:?}");
}

#[test]
fn callers_owe_what_every_element_is() {
    for (at, broken) in [("i", 0), ("i + 1", 1)] {
        let main = format!(
            "int main() {{ int h[32]; for (int i = 0; i < 32; i++) h[i] = {at};\n\
             float *y, *x; int *d; cudaMalloc(&y, 128); cudaMalloc(&x, 256); cudaMalloc(&d, 128);\n\
             cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice); gather<<<1, 32>>>(y, x, d, 32, 32); }}\n"
        );
        let settings =
            "[[contract]]\nfunction = \"gather\"\nrequires = [\"forall i in [0, n): 0 <= idx[i] && idx[i] < m\"]\n";
        let (r, said) = checked(&format!("{}{main}", GATHER.replace("OUT", "float")), settings);
        let found: Vec<_> = r.findings.iter().map(|f| (f.rule.name(), format!("{:?}", f.verdict))).collect();
        assert_eq!(found.len(), broken, "{said:?}");
        assert!(found.iter().all(|f| f.0 == "contract"), "{found:?}");
    }
}

#[test]
fn members_that_are_counted_by_others_have_so_many_elements() {
    let p = Project::new();
    p.write("scuba.h", scuba::contracts::SCUBA_H);
    let check = |extra: &str, status: i32| -> Report {
        p.write(
            "k.cu",
            &format!(
                "#include \"scuba.h\"\n\
                 struct matrix {{ int rows, cols; float *data SCUBA_COUNTED_BY(rows * cols); }};\n\
                 __global__ void fill(float *x, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }}\n\
                 SCUBA_ENTRY void zero(matrix *m) {{\n\
                   if (m->rows < 1 || m->cols < 1 || m->rows > 30000 || m->cols > 30000) return;\n\
                   int n = m->rows * m->cols;\n\
                   fill<<<(n + 256) / 256, 256>>>(m->data, n{extra});\n}}\n"
            ),
        );
        let said = p.scuba(["check", "k.cu", "--message-format", "json"]).status(status);
        serde_json::from_str(&said.out).unwrap()
    };
    let r = check("", 0);
    assert_eq!((r.summary.safe_assuming, r.summary.unknown, r.findings.len()), (1, 0, 0), "{:?}", r.undecided);
    let r = check(" + 1", 1);
    assert_eq!((r.summary.proved, r.findings[0].access.array.as_str()), (1, "x"), "{:?}", r.findings);
}

#[test]
fn a_function_that_is_not_here_changes_nothing_where_that_is_stated() {
    let source = "\
struct Holder { int n; float *data; };
void set_device(int);
__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void op_fill(Holder *t) {
  if (t->n < 1 || t->n > 100000) return;
  set_device(0);
  fill<<<(t->n + 255) / 256, 256>>>(t->data, t->n);
}
";
    let settings = |more: &str| {
        format!(
            "[entry]\nfunctions = [\"op_*\"]\n[[contract]]\ntype = \"Holder\"\ninvariant = [\"elements(data) >= n\"]\n{more}"
        )
    };
    let check = |more: &str| {
        let p = Project::new();
        p.write("k.cu", source);
        p.write("scuba.toml", &settings(more));
        p.scuba(["check", "k.cu", "--message-format", "json"])
    };
    let counts = |said: Said| {
        let r: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
        (r.summary.safe_assuming, r.summary.unknown)
    };
    assert_eq!(counts(check("").status(0)), (0, 1), "it may have changed the tensor");
    let framed = "[[contract]]\nfunction = \"set_*\"\nmodifies = []\n";
    assert_eq!(counts(check(framed).status(0)), (1, 0));
    let said = check("[[contract]]\nfunction = \"set_*\"\nmodifies = [\"t->n\"]\n").status(2);
    assert!(said.err.contains("scuba.toml:8:") && said.err.contains("must be the empty list"), "{said:?}");
}

#[test]
fn copies_between_structures_that_disagree_warn_as_accesses_do() {
    let copies = |bytes: &str| {
        let body = "extern \"C\" void op_copy(tensor *dst) {\n  const tensor *src = dst->src[0];\n  if (src->ne[0] > 1000 || src->ne[1] > 1000) return;\n\
                      cudaMemcpy(dst->data, src->data, BYTES, cudaMemcpyDeviceToDevice);\n}\n";
        let (begin, end) = (TENSORS.find("extern").unwrap(), TENSORS.find("struct Args").unwrap());
        let source = format!("{}{}{}", &TENSORS[..begin], body.replace("BYTES", bytes), &TENSORS[end..]);
        let (r, said) = checked(&source, SETTINGS);
        let found =
            r.findings.iter().map(|f| format!("{} {:?} {:?}", f.rule.name(), f.verdict, f.level)).collect::<Vec<_>>();
        (found, said)
    };
    let (found, said) = copies("4 * src->ne[0] * src->ne[1]");
    assert_eq!(found, ["unchecked-argument Proved Warn"], "{said:?}");
    // More than the source has by its own invariant.
    let (found, said) = copies("4 * src->ne[0] * src->ne[1] + 4");
    assert!(found.contains(&"memcpy-out-of-bounds Proved Deny".to_owned()), "{found:?} {said:?}");
}

#[test]
fn sizes_of_given_objects_whose_product_leaves_an_int_are_told() {
    let source = "\
struct volume { long ne[3]; unsigned long nb[3]; void *data; };
__global__ void sums(const short *m, int *out, int n, INT s1, INT s2) {
  m += (long)(int)blockIdx.y * s2 + blockIdx.x * 8 * (long)s1;
  int sum = 0;
  for (int j = 0; j < 8; ++j) sum += m[j * s1 + threadIdx.x];
  out[blockIdx.y * n + blockIdx.x] = sum;
}
void op_sums(const volume *t, int *out) {
  if (t->ne[1] % 8) return;
  const INT s1 = t->nb[1] / 2, s2 = t->nb[2] / 2;
  sums<<<dim3(t->ne[1] / 8, t->ne[2]), 32>>>((const short *)t->data, out, t->ne[1] / 8, s1, s2);
}
";
    let settings = "\
[entry]
functions = [\"op_*\"]
[[contract]]
type = \"volume\"
invariant = [\"ne[0] >= 32 && ne[0] <= 1048576 && ne[1] >= 1 && ne[1] <= ROWS && ne[2] >= 1 && ne[2] <= 64\",
  \"nb[0] == 2 && nb[1] == 2 * ne[0] && nb[2] == nb[1] * ne[1]\", \"extent(data) >= nb[2] * ne[2]\"]
[[contract]]
function = \"op_sums\"
requires = [\"elements(out) >= t->ne[1] / 8 * t->ne[2]\"]
";
    let (r, said) = checked(&source.replace("INT", "int"), &settings.replace("ROWS", "65536"));
    let [f] = r.findings.as_slice() else { panic!("{said:?}") };
    assert_eq!(f.rule.name(), "index-overflow");
    // A device holds what the example takes.
    let inputs = &f.witness.as_ref().unwrap().inputs;
    let extent = inputs.iter().find(|i| i.name == "extent(t->data)").unwrap();
    assert!((1 << 33..=192 << 30).contains(&extent.value.parse::<i64>().unwrap()), "{inputs:?}");
    for (int, rows) in [("long", "65536"), ("int", "2040")] {
        let (r, said) = checked(&source.replace("INT", int), &settings.replace("ROWS", rows));
        assert_eq!(r.findings.len(), 0, "{int} {rows}: {said:?}");
    }
}
