//! Functions that constructors of variables register, called in an entry point of a library.

use super::{Project, Said};
use scuba::finding::{Report, Verdict};

/// A registry of functions by device, as deep-learning libraries have one for each operator.
const REGISTRY: &str = "\
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
using Function = int (*)(int);
class Registry {
public:
  void add(int device, Function f) { functions[device] = f; }
  Function find(int device) const { return functions[device]; }
  static Registry &instance() {
    static Registry r;
    return r;
  }
  Registry() { for (auto &f : functions) f = nullptr; }
  Function functions[8];
};
void outside(void *);
void outside();
__global__ void zero(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
int on_device(int n) {
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  zero<<<(n + 255) / 256, 256>>>(x, n);
  return 0;
}
int on_host(int n) { return n; }
int nothing(int) { return 0; }
static struct Registerer {
  Registerer() {
    Registry::instance().add(1, on_device);
    Registry::instance().add(0, on_host);
  }
} registerer;
static Function plain;
static struct Setter { Setter() { plain = on_device; } } setter;
// MORE
extern \"C\" int op(int device, int n) {
  if (n < 1 || device < 0 || device > 7) return 1;
  // BEFORE
  Function f = Registry::instance().find(device);
  if (f == nullptr) throw std::runtime_error(\"no implementation\");
  return f(n);
}
extern \"C\" int op_plain(int n) {
  if (n < 1) return 1;
  return plain ? plain(n) : 1;
}
";

fn checked(entry: &str, source: &str) -> Report {
    let p = Project::new();
    p.write("k.cu", source);
    p.write("scuba.toml", &format!("[entry]\nfunctions = [\"{entry}\"]\n"));
    let said = Said::from(p.command().args(["check", "k.cu", "--message-format", "json"]).output().unwrap());
    let r: Report = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
    assert!(r.not_analysed.is_empty(), "{source}: {:?}", r.not_analysed);
    r
}

#[test]
fn functions_that_constructors_register_are_followed() {
    for entry in ["op", "op_plain"] {
        let r = checked(entry, REGISTRY);
        assert_eq!((r.summary.safe, r.summary.unknown, r.findings.len()), (1, 0, 0), "{entry}: {:?}", r.undecided);
        let r = checked(entry, &REGISTRY.replace("i < n", "i <= n"));
        assert_eq!(r.summary.proved, 1, "{entry}: {:?}", r.undecided);
        assert_eq!(r.findings[0].verdict, Verdict::Proved);
    }
    // An initialiser that is not followed changes nothing of it, in the replay as well.
    let later =
        "int answer(); int state; static struct Last { Last() { if (answer()) outside(); state = answer(); } } last;";
    let source = REGISTRY.replace("// MORE", later).replace("// BEFORE", "printf(\"%d\\n\", state);");
    let r = checked("op", &source.replace("i < n", "i <= n").replace("<cstdlib>", "<cstdio>"));
    assert_eq!(r.summary.proved, 1, "{:?}", r.undecided);
}

#[test]
fn what_other_code_may_register_is_not_known() {
    for (entry, more, before) in [
        // Other functions of the library write the table, or give its address away.
        ("op", "extern \"C\" void set(int d) { Registry::instance().add(d, nothing); }", ""),
        ("op", "extern \"C\" Registry *table() { return &Registry::instance(); }", ""),
        ("op", "extern \"C\" void give() { outside(&Registry::instance()); }", ""),
        ("op", "extern \"C\" void give(std::uintptr_t *to) { *to = (std::uintptr_t)&Registry::instance(); }", ""),
        ("op", "extern \"C\" void copy(const Registry *r) { Registry::instance() = *r; }", ""),
        ("op", "static void later() { Registry::instance().add(1, nothing); } void (*hook)() = later;", ""),
        ("op", "Registry &known = Registry::instance();", ""),
        ("op", "struct Holder { Registry *at; long n; }; Holder holder{&Registry::instance(), 1};", ""),
        (
            "op",
            "void change(void *p) { memset(p, 0, 64); }\nextern \"C\" void reset() { change(&Registry::instance()); }",
            "",
        ),
        ("op", "static struct Last { Last() { outside(&Registry::instance()); } } last;", ""),
        ("op", "", "Registry::instance().functions[device] = nothing;"),
        ("op", "", "*(Function *)((char *)&Registry::instance() + 8 * device) = nothing;"),
        (
            "op",
            "template <typename T> void put(T *at, T v) { *at = v; }",
            "put(&Registry::instance().functions[n % 8], Function(nothing));",
        ),
        ("op_plain", "extern \"C\" void set() { plain = nothing; }", ""),
        ("op_plain", "extern \"C\" void set(Function f) { plain = f; }", ""),
        ("op_plain", "extern \"C\" void *where() { return &plain; }", ""),
        ("op_plain", "static Function *to = &plain; extern \"C\" void set() { *to = nothing; }", ""),
        ("op_plain", "static struct Give { Give() { outside(&plain); } } give;", ""),
        (
            "op_plain",
            "extern \"C\" void swap_all(Function *with) { Function f = plain; plain = *with; *with = f; }",
            "",
        ),
        // Another initialiser writes it through a pointer.
        (
            "op_plain",
            "static Function *active;\nstatic struct Activate { Activate() { active = &plain; } } activate;\n\
             static struct Entry { Entry() { *active = nothing; } } entry;",
            "",
        ),
        // Somebody has its address, or that of a function, as a number.
        (
            "op_plain",
            "static const std::uintptr_t places[] = {1, (std::uintptr_t)&plain};\n\
             extern \"C\" void set(int i) { *(Function *)places[i] = nothing; }",
            "",
        ),
        (
            "op_plain",
            "static void later() { plain = nothing; }\nstatic const std::uintptr_t hooks[] = {(std::uintptr_t)later};\n\
             extern \"C\" void run(int i) { ((void (*)())hooks[i])(); }",
            "",
        ),
        // It has a second name.
        ("op_plain", "extern Function exported_plain __attribute__((alias(\"_ZL5plain\")));", ""),
        // A constructor that is called again.
        (
            "op_plain",
            "__attribute__((constructor)) static void last() { plain = plain == nothing ? on_device : nothing; }\n\
             void (*hook)() = last;",
            "",
        ),
    ] {
        // The other entry point launches the kernel as it should be.
        let [op, plain] = ["extern \"C\" int op(", "extern \"C\" int op_plain("].map(|at| REGISTRY.find(at).unwrap());
        let other = if entry == "op" { &REGISTRY[plain..] } else { &REGISTRY[op..plain] };
        let source = REGISTRY
            .replace(other, "")
            .replace("// MORE", more)
            .replace("// BEFORE", before)
            .replace("<cstdlib>", "<cstdlib>\n#include <cstring>");
        let r = checked(entry, &source);
        assert_eq!((r.summary.safe, r.summary.unknown), (0, 1), "{entry}: {more} {before}");
    }
    // What a constructor allocates may have been freed since.
    let buffer = "static float *kept; static struct Keeper { Keeper() { cudaMalloc(&kept, 256); } } keeper;\n\
                  extern \"C\" int op_kept() { zero<<<1, 64>>>(kept, 64); cudaDeviceSynchronize(); return cudaFree(kept); }";
    let r = checked("op_kept", &REGISTRY.replace("// MORE", buffer));
    assert_eq!(r.summary.safe, 0);
    // Another unit can name the variable.
    let r = checked("op_plain", &REGISTRY.replace("static Function plain", "Function plain"));
    assert_eq!((r.summary.safe, r.summary.unknown), (0, 1));
    // No constructor makes the registry.
    let r = checked(
        "op",
        &REGISTRY.replace("static struct Registerer", "struct Registerer").replace("} registerer;", "};"),
    );
    assert_eq!(r.summary.safe, 0);
}

#[test]
fn what_constructors_give_to_a_library_is_called_by_no_library_in_an_entry_point() {
    // As PyTorch's registration does: the operators themselves are given, in a loop, and write what they please when they
    // are called.
    let given = REGISTRY
        .replace(
            "using Function = int (*)(int);",
            "using Function = int (*)(int);\nnamespace std { void note(int); void keep(Function); }\nstatic int last;",
        )
        .replace("int nothing(int)", "int remember(int n) { last = n; return 0; }\nint nothing(int)")
        .replace(
            "add(0, on_host);",
            "add(0, on_host);\n    for (int i = 0; i < std::atoi(\"3\"); i++) std::keep(remember);",
        )
        .replace(
            "  zero<<<(n + 255) / 256, 256>>>(x, n);",
            "  last = n;\n  std::note(n);\n  zero<<<(n + 255) / 256, 256>>>(x, last);",
        );
    let given = given.replace("int on_device(int n) {", "int remember(int n);\nint on_device(int n) {");
    let r = checked("op", &given);
    assert_eq!((r.summary.safe, r.summary.unknown, r.findings.len()), (1, 0, 0), "{:?}", r.undecided);
}
