//! What callers may give a function of a library: null pointers, the same memory twice, the address of a variable.

use super::Project;
use scuba::finding::{Finding, Report};

/// A kernel that writes `n` numbers, and memory for five of them in `d`.
const FIVE: &str = "\
#include <cuda_runtime.h>
__global__ void k(float *d, int n) { if (threadIdx.x < n) d[threadIdx.x] = 1; }
#include <cstdio>
#include <cstring>
struct Sizes { long rows; int n; Sizes *to; };
__attribute__((noinline)) void two(int *a, int *b) { *a = 1; *b = 2; }
void other(); void look(const Sizes *);
struct Other { int n, m; };
struct Both { int k; Sizes of; };
struct Any { union { char bytes[64]; Sizes of; } u; int n; };
struct Few { union { char bytes[4]; int of; } u; int n; };
struct Buffer { float *data; };
struct Room { alignas(8) unsigned char bytes[sizeof(Sizes)]; int n; };
int shared_count = 5;
static int own_count;
";

fn checked(body: &str, settings: &str) -> Report {
    let p = Project::new();
    let source = format!("{FIVE}extern \"C\" void f{body}\n")
        .replace("FIVE(d)", "float *d; cudaMalloc(&d, 20)")
        .replace("FIVE(e)", "float *e; cudaMalloc(&e, 20)");
    // A variable that others can change is another reason not to know what lies behind a pointer.
    let variable = if body.contains("shared_count") { "" } else { "int shared_count = 5;\n" };
    p.write("k.cu", &source.replace(variable, ""));
    p.write("scuba.toml", &format!("[entry]\nfunctions = [\"f\"]\n{settings}"));
    let mut c = p.command();
    c.args(["check", "k.cu", "--message-format", "json"]);
    let said = super::Said::from(c.output().unwrap());
    let r: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
    assert!(r.not_analysed.is_empty(), "{source}: {:?}", r.not_analysed);
    r
}

fn is_safe(r: &Report) -> bool {
    let s = &r.summary;
    r.findings.is_empty() && s.accesses > 0 && s.safe == s.accesses
}

#[test]
fn what_is_stored_through_one_pointer_may_be_read_through_another() {
    for body in [
        "(int *a, int *b) { *a = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, *a); }",
        "(Sizes *a, Sizes *b) { a->n = 5; b->n = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        "(Sizes *a, int *b) { a->n = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        // One may be part of the other.
        "(Sizes *a, Both *b) { a->n = 5; b->of.n = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        "(Sizes *a, Any *b) { a->n = 5; b->u.of.n = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        "(Sizes *a, Room *b) { a->n = 5; ((Sizes *)b->bytes)->n = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        // A variable that others can name.
        "(int *b) { shared_count = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, shared_count); }",
        "(int *b) { *b = 5; shared_count = 100; FIVE(d); k<<<1, 128>>>(d, *b); }",
        // Characters are part of anything.
        "(int *a, char *b) { *a = 5; b[1] = 1; FIVE(d); k<<<1, 128>>>(d, *a); }",
        // So are copies and fills, whatever they copy; and of whatever type the pointer is.
        "(int *a, int *b, double v) { *a = 5; memcpy(b, &v, 8); FIVE(d); k<<<1, 128>>>(d, *a); }",
        "(int *a, float *b, float v) { *a = 5; memcpy(b, &v, 4); FIVE(d); k<<<1, 128>>>(d, *a); }",
        "(int *a, double *b) { *a = 5; memset(b, 0x7f, sizeof *b); FIVE(d); k<<<1, 128>>>(d, *a); }",
        "(Sizes *a, Other *b, Other v) { a->n = 5; memcpy(b, &v, sizeof v); FIVE(d); k<<<1, 128>>>(d, a->n); }",
        // What an output of one kernel is, is another's input.
        "(float *d, int n, int *out, const int *in, Sizes *s) { if (in[0] != 3 || n != 5) return; out[0] = n;\n\
          FIVE(e); k<<<1, 128>>>(e, in[0]); }",
    ] {
        let r = checked(body, "");
        assert!(!is_safe(&r), "{body}: {:?}", r.summary);
    }
}

#[test]
fn what_no_caller_can_do_costs_nothing() {
    for body in [
        "(int *a) { *a = 5; FIVE(d); k<<<1, 128>>>(d, *a); }",
        // Objects of other types are others.
        "(Sizes *a, double *b) { a->n = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        "(Sizes *a, Sizes *b) { a->n = 5; b->rows = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        "(Sizes *a, Other *b) { a->n = 5; b->n = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        // No union of fewer bytes has such an object.
        "(Sizes *a, Few *b) { a->n = 5; b->n = 100; FIVE(d); k<<<1, 128>>>(d, a->n); }",
        // What is filled is the device's.
        "(Sizes *a, Buffer *b) { if (a->n > 5 || a->n < 0) return; cudaMemset(b->data, 1, 8); FIVE(d); k<<<1, 128>>>(d, a->n); }",
        // A variable whose address nobody has.
        "(int *b) { own_count = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, own_count); }",
        // What was read is known.
        "(int *a, int *b) { *a = 5; int n = *a; *b = 100; FIVE(d); k<<<1, 128>>>(d, n); }",
    ] {
        let r = checked(body, "");
        assert!(is_safe(&r), "{body}: {:?} {:?}", r.summary, r.undecided);
    }
}

#[test]
fn functions_that_are_not_known_may_have_what_the_caller_gave() {
    for (call, safe) in [("other()", false), ("look(a->to)", false), ("printf(\"%d\", a->n)", true)] {
        let body = format!(
            "(Sizes *a) {{ Sizes *to = a->to; if (a->n > 5 || to->n > 5 || a->n < 0 || to->n < 0) return; {call}; FIVE(d); k<<<1, 128>>>(d, WHOSE->n); }}"
        );
        for whose in ["a", "to"] {
            let r = checked(&body.replace("WHOSE", whose), "");
            assert_eq!(is_safe(&r), safe, "{call}, {whose}: {:?}", r.undecided);
        }
    }
}

#[test]
fn what_is_done_before_the_program_ends_costs_nothing() {
    let ends = |body: &str| {
        format!(
            "(Sizes *a, int w) {{ if (a->n > 5 || a->n < 0) give_up(\"n\"); if (w != 1) give_up(\"w\"); FIVE(d); k<<<1, 128>>>(d, a->n); }}\n{body}"
        )
    };
    let declared = "[[noreturn]] static void give_up(const char *what);\nextern \"C\" void f";
    let checked = |body: &str| checked(&format!("_not(int);\n{declared}{}", ends(body)), "");
    // A handler that a user set, which is given what the caller has no other name for; and POSIX.
    let r = checked(
        "#include <cstdlib>\n#include <unistd.h>\nstatic void (*handler)(const char *);\n\
         extern \"C\" void on_end(void (*h)(const char *)) { handler = h; }\n\
         static void give_up(const char *what) {\n\
           int ends[2] = {-1, -1}; char *line = nullptr; size_t size = 0;\n\
           while (getline(&line, &size, stdin) > 0) if (line[0] == what[0]) { free(line); abort(); }\n\
           if (pipe(ends)) _exit(1);\n  if (handler) handler(what);\n  abort();\n}\n",
    );
    assert!(is_safe(&r), "{:?} {:?}", r.summary, r.undecided);
    // A handler that may be one which waits for the device; and one elsewhere, which may launch what it is given.
    let handled = |end: &str| {
        self::checked(
            &format!(
                "_not(int);\n{end}\nstatic void (*handler)(const char *);\nextern \"C\" void on_end(void (*h)(const char *)) {{ handler = h; }}\n\
                 extern \"C\" void begin() {{ on_end(at_end); }}\n\
                 [[noreturn]] static void give_up(const char *what) {{ if (handler) handler(what); __builtin_trap(); }}\n\
                 extern \"C\" void f(Sizes *a, int w) {{\n\
                   void (*kernel)(float *, int) = k; if (a->n > 5 || a->n < 0) return; FIVE(d);\n\
                   if (w != 1) give_up((const char *)&kernel); k<<<1, 128>>>(d, a->n);\n}}\n"
            ),
            "",
        )
    };
    assert!(is_safe(&handled("static void at_end(const char *) { cudaDeviceSynchronize(); }")));
    assert!(!is_safe(&handled("void at_end(const char *);")));
    // What it launches before is launched.
    let r = checked(
        "#include <cstdlib>\nstatic void give_up(const char *what) { FIVE(e); k<<<1, 128>>>(e, 9); abort(); }\n",
    );
    assert_eq!((r.summary.proved, r.findings.len()), (1, 1), "{:?} {:?}", r.summary, r.undecided);
}

#[test]
fn what_one_way_alone_writes_is_on_the_other_what_the_caller_gave() {
    let body = "(Buffer *b, int w, int n) { if (w) { b->data = nullptr; cudaMalloc(&b->data, BYTES); } k<<<1, 128>>>(b->data, 5); }";
    let settings = "[[contract]]\nfunction = \"f\"\nrequires = [\"extent(b->data) >= 20\"]\n";
    let r = checked(&body.replace("BYTES", "20"), settings);
    assert!(is_safe(&r), "{:?} {:?}", r.summary, r.undecided);
    let r = checked(&body.replace("BYTES", "16"), settings);
    assert_eq!((r.summary.safe, r.summary.proved), (0, 1), "{:?}", r.undecided);
    let r = checked(&body.replace("BYTES", "20"), "");
    assert_eq!((r.summary.safe, r.summary.unknown, r.findings.len()), (0, 1, 0), "{:?}", r.summary);
}

#[test]
fn contracts_say_that_pointers_are_disjoint() {
    let body = "(int *a, int *b) { *a = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, *a); }";
    let r = checked(body, "[[contract]]\nfunction = \"f\"\nrequires = [\"disjoint(a, b)\"]\n");
    assert!(is_safe(&r), "{:?} {:?}", r.summary, r.undecided);
    // That is why it is safe, and it is said.
    assert_eq!(r.summary.safe_assuming, r.summary.accesses, "{:?}", r.summary);
    // What is promised where one function is called is no promise elsewhere.
    let settings = "[[contract]]\nfunction = \"two\"\nrequires = [\"disjoint(a, b)\"]\n";
    let r = checked(
        "(int *a, int *b, int w) { if (w) two(a, b); *a = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, *a); }",
        settings,
    );
    assert!(!is_safe(&r), "{:?}", r.summary);
    // Who calls it owes that.
    let both = "__attribute__((noinline)) void g(int *a, int *b) { *a = 5; *b = 100; FIVE(d); k<<<1, 128>>>(d, *a); }\n\
                int n[2], m[2]; extern \"C\" void f() { g(n, ARGUMENT); }";
    for (argument, broken) in [("m", 0), ("n", 1), ("n + 1", 1)] {
        let p = Project::new();
        let source = format!("{FIVE}{both}\nint main() {{ f(); }}\n");
        p.write("k.cu", &source.replace("ARGUMENT", argument).replace("FIVE(d)", "float *d; cudaMalloc(&d, 20)"));
        p.write("scuba.toml", "[[contract]]\nfunction = \"g\"\nrequires = [\"disjoint(a, b)\"]\n");
        let mut c = p.command();
        c.args(["check", "k.cu", "--message-format", "json"]);
        let said = super::Said::from(c.output().unwrap());
        let r: Report = serde_json::from_str(&said.out).unwrap();
        let of_contract = |f: &&Finding| f.rule.name() == "contract";
        assert_eq!(r.findings.iter().filter(of_contract).count(), broken, "{argument}: {:?}", r.findings);
    }
}

#[test]
fn pointers_may_be_null() {
    let r = checked("(float *o) { FIVE(d); if (!o) k<<<1, 128>>>(d, 100); else k<<<1, 128>>>(d, 5); }", "");
    let [f] = r.findings.as_slice() else { panic!("{:?} {:?}", r.summary, r.findings) };
    assert_eq!((f.rule.name(), format!("{:?}", f.verdict)), ("oob-global", "Proved".into()));
    let inputs = &f.witness.as_ref().unwrap().inputs;
    assert!(inputs.iter().any(|i| i.name == "o" && i.value == "nullptr"), "{inputs:?}");
    let r = checked("(float *o) { FIVE(d); if (o) k<<<1, 128>>>(d, 5); else k<<<1, 128>>>(d, 4); }", "");
    assert!(is_safe(&r), "{:?}", r.summary);
    // Nobody calls it so.
    for required in ["o != nullptr", "o", "extent(o) >= 1 && o"] {
        let settings = format!("[[contract]]\nfunction = \"f\"\nrequires = [\"{required}\"]\n");
        let r = checked("(float *o) { FIVE(d); if (!o) k<<<1, 128>>>(d, 100); else k<<<1, 128>>>(d, 5); }", &settings);
        assert!(is_safe(&r), "{required}: {:?} {:?}", r.summary, r.findings);
    }
    // A reference is none.
    let r = checked("(float &o) { FIVE(d); if (!&o) k<<<1, 128>>>(d, 100); else k<<<1, 128>>>(d, 5); }", "");
    assert!(r.findings.is_empty(), "{:?}", r.findings);
}

#[test]
fn what_is_only_used_where_a_pointer_is_there_is_required_only_then() {
    let p = Project::new();
    p.write(
        "k.cu",
        "__global__ void add(float *x, const float *bias, unsigned n) {\n\
           unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n\
           if (i >= n) return;\n\
           if (bias != nullptr) x[i] += bias[i];\n\
         }\n",
    );
    let said = p.scuba(["contracts", "k.cu"]).status(0);
    assert!(said.out.contains("bias == nullptr || elements(bias) >= n  needed"), "{said:?}");
    let toml = p.scuba(["contracts", "k.cu", "--format", "toml"]).status(0);
    p.write("scuba.toml", &toml.out);
    let said = p.scuba(["check", "k.cu", "--message-format", "json"]).status(0);
    let r: Report = serde_json::from_str(&said.out).unwrap();
    assert_eq!((r.summary.accesses, r.summary.safe_assuming, r.summary.unknown), (2, 2, 0), "{:?}", r.undecided);
}
