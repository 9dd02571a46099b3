//! Corrects operations whose signedness cgeist may have wrong, from the source's declarations.
//!
//! In: a module, and the texts of the user's files. Out: the module, in which operations that the source shows to be
//! unsigned are unsigned, and undecided ones have a mark ([`MARK`]). `lower` turns these into a choice of both results,
//! so that only facts of both hold. If clang's reading is available, it settles them (`frontend::second`).
//!
//! cgeist derives an expression's signedness from its type without looking through type names (`dyn_cast<BuiltinType>`
//! in its `clang-mlir.cc`). It reads types spelled `unsigned …` correctly and takes those that are unsigned by another
//! name for signed: typedefs such as `size_t`, `auto`, template parameters, enumerations. (`sizeof` is correct: clang
//! gives it the built-in type up to LLVM 17.)

mod text;
mod words;

use super::lower::unit::STUB;
use super::mlir::{Attr, MlirModule, MlirOp, Type};
use frontend::names::demangle;
use std::collections::BTreeSet;
use text::{SourceText, TextSigns};

/// Attribute of an operation of unknown signedness: the word of the source that makes it doubtful.
pub const MARK: &str = "scuba.sign";

/// Settles the signedness of all operations in the user's functions. Undecided ones are marked; returns the words that
/// make them so.
pub fn settle(module: &mut MlirModule, texts: &[&str]) -> BTreeSet<String> {
    let plain = text::plain(texts);
    let source = SourceText::new(&plain);
    let mut open = BTreeSet::new();
    for top in &mut module.ops {
        each_function(top, &mut |f| function(f, &source, &mut open));
    }
    open
}

fn each_function(op: &mut MlirOp, visit: &mut impl FnMut(&mut MlirOp)) {
    if op.name == "func.func" {
        return visit(op);
    }
    each_inside(op, &mut |o| each_function(o, visit));
}

fn each_inside(op: &mut MlirOp, visit: &mut dyn FnMut(&mut MlirOp)) {
    op.regions.iter_mut().flat_map(|r| &mut r.blocks).flat_map(|b| &mut b.ops).for_each(visit);
}

fn function(f: &mut MlirOp, source: &SourceText<'_>, open: &mut BTreeSet<String>) {
    let mut widths = BTreeSet::new();
    f.walk(&mut |o| widths.extend(asks_for_sign(o)));
    let display = demangle(f.text("sym_name").unwrap_or_default());
    let name = base(&display);
    if widths.is_empty() || display.contains(STUB) || is_library(&display) && !source.defines(&name) {
        return;
    }
    let said = source.function_words(&name);
    let called = SymbolSigns::by(f, &display, source);
    let verdicts: Vec<(u32, Signedness)> = widths.into_iter().map(|w| (w, judge(w, &said, &called))).collect();
    mark(f, &verdicts, open);
}

/// Signedness of all operations of one width in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Signedness {
    /// cgeist's reading is correct.
    Right,
    Unsigned,
    /// Unknown because of this word of the source.
    Undecided(String),
}

fn judge(bits: u32, said: &TextSigns<'_>, called: &SymbolSigns) -> Signedness {
    let by_call = called.unsigned.iter().find(|(b, _)| *b == bits).map(|(_, word)| word.as_str());
    let Some(word) = said.word(bits).or(by_call) else { return Signedness::Right };
    // If no signed 64-bit integer can occur, a 64-bit operation has an unsigned operand, and is unsigned as a whole
    // (C++ \[expr.arith.conv\]).
    if bits == 64 && !said.signed_64 && !called.signed_64 && by_call.is_none() {
        return Signedness::Unsigned;
    }
    Signedness::Undecided(word.to_owned())
}

fn mark(op: &mut MlirOp, verdicts: &[(u32, Signedness)], open: &mut BTreeSet<String>) {
    each_inside(op, &mut |o| {
        if let Some(bits) = asks_for_sign(o) {
            match verdicts.iter().find(|v| v.0 == bits).map(|v| &v.1) {
                // The operand's type may differ from the result's: an `int` may be converted to a `size_t`.
                Some(Signedness::Unsigned) => make_unsigned(o),
                Some(Signedness::Undecided(word)) => {
                    open.insert(word.clone());
                    o.attrs.insert(MARK.into(), Attr::String(word.clone()));
                }
                Some(Signedness::Right) | None => {}
            }
        }
        mark(o, verdicts, open);
    });
}

/// Returns the width of the integer whose signedness affects the result of an operation that cgeist takes for signed.
fn asks_for_sign(o: &MlirOp) -> Option<u32> {
    let of = |t: Option<&Type>| match t {
        Some(Type::Int(bits)) if *bits > 1 => Some(*bits),
        _ => None,
    };
    match o.name.as_str() {
        "arith.divsi" | "arith.remsi" | "arith.shrsi" | "arith.maxsi" | "arith.minsi" | "arith.extsi"
        | "arith.floordivsi" | "arith.ceildivsi" | "arith.sitofp" => of(o.operand_types.first()),
        "arith.fptosi" => of(o.result_types.first()),
        "arith.cmpi" => {
            of(o.operand_types.first()).filter(|_| o.int("predicate").is_some_and(|p| (2..=5).contains(&p)))
        }
        _ => None,
    }
}

/// Makes an operation unsigned.
pub(super) fn make_unsigned(o: &mut MlirOp) {
    o.name = match o.name.as_str() {
        "arith.divsi" | "arith.floordivsi" => "arith.divui",
        "arith.remsi" => "arith.remui",
        "arith.shrsi" => "arith.shrui",
        "arith.maxsi" => "arith.maxui",
        "arith.minsi" => "arith.minui",
        "arith.extsi" => "arith.extui",
        "arith.ceildivsi" => "arith.ceildivui",
        "arith.sitofp" => "arith.uitofp",
        "arith.fptosi" => "arith.fptoui",
        "arith.cmpi" => {
            // `slt`, `sle`, `sgt`, `sge`, then the unsigned ones in that order (MLIR, `arith.cmpi`).
            if let Some(Attr::Int(p, _)) = o.attrs.get_mut("predicate") {
                *p += 4;
            }
            return;
        }
        _ => return,
    }
    .into();
}

/// Facts about signedness from the symbols of a function and its callees.
struct SymbolSigns {
    /// Widths of integers that may be unsigned because of a callee, and its name.
    unsigned: Vec<(u32, String)>,
    /// True where a callee may yield a signed 64-bit integer.
    signed_64: bool,
}

impl SymbolSigns {
    fn by(f: &MlirOp, display: &str, source: &SourceText<'_>) -> Self {
        let mut out = Self { unsigned: vec![], signed_64: false };
        out.template_arguments(display);
        f.walk(&mut |o| {
            // A difference of pointers is signed.
            out.signed_64 |= o.name == "llvm.ptrtoint";
            let Some(callee) = o.text("callee").filter(|_| o.name.ends_with(".call")) else { return };
            let callee = demangle(callee);
            // CUDA's own functions return error codes (`cudaMalloc<T>(T **, size_t)`).
            if callee.starts_with("cuda") && !source.defines(&base(&callee)) {
                return;
            }
            out.template_arguments(&callee);
            for t in &o.result_types {
                let Type::Int(bits) = t else { continue };
                let name = base(&callee);
                if matches!(name.as_str(), "min" | "max" | "abs") && !callee.contains("unsigned") {
                    out.signed_64 |= *bits == 64;
                } else if callee.starts_with("std::") || name.starts_with("operator") {
                    out.unsigned.push((*bits, name));
                } else if *bits == 64 {
                    out.signed_64 |= !matches!(name.as_str(), "strlen" | "fread" | "fwrite");
                }
            }
        });
        out
    }

    /// Records unsigned template arguments: `f<unsigned int>(…)` may return, take and use that type, under its
    /// parameter's name.
    fn template_arguments(&mut self, display: &str) {
        let mut depth = 0i32;
        for (i, c) in display.char_indices() {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                'u' if depth > 0 && display[i..].starts_with("unsigned ") => {
                    let bits = match display[i + "unsigned ".len()..].split([',', '>', ' ', '*', '&']).next() {
                        Some("char") => 8,
                        Some("short") => 16,
                        Some("int") => 32,
                        _ => 64,
                    };
                    self.unsigned.push((bits, base(display)));
                }
                _ => {}
            }
        }
    }
}

/// Whether a function comes from CUDA's or the standard headers.
fn is_library(display: &str) -> bool {
    ["std::", "dim3::", "cuda", "__", "atomic"].iter().any(|p| display.starts_with(p))
}

/// Returns a function's name without classes, template arguments and return type.
fn base(display: &str) -> String {
    let mut depth = 0u32;
    let plain: String = display
        .replace("(anonymous namespace)::", "")
        .chars()
        .filter(|c| {
            match c {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect();
    let head = plain.split('(').next().unwrap_or(&plain);
    head.rsplit([':', ' ']).next().unwrap_or(head).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir;

    /// Builds a module of one function with one operation on two values of a type, after other operations.
    fn module(symbol: &str, before: &str, op: &str, ty: &str) -> MlirModule {
        let attribute = if op == "arith.cmpi" { "{predicate = 2 : i64}" } else { "" };
        let (operands, types, result) = match op {
            "arith.cmpi" => ("%0, %0", format!("{ty}, {ty}"), "i1"),
            "arith.extsi" => ("%0", ty.to_owned(), "i64"),
            "arith.fptosi" => ("%f", "f64".to_owned(), ty),
            _ => ("%0, %0", format!("{ty}, {ty}"), ty),
        };
        let text = format!(
            "\"builtin.module\"() ({{\n\"func.func\"() <{{sym_name = \"{symbol}\", function_type = () -> ()}}> ({{\n\
             %0 = \"arith.constant\"() <{{value = 1 : {ty}}}> : () -> {ty}\n\
             %f = \"arith.constant\"() <{{value = 1.0 : f64}}> : () -> f64\n{before}\
             %1 = \"{op}\"({operands}) {attribute} : ({types}) -> {result}\n}}) : () -> ()\n}}) : () -> ()"
        );
        mlir::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    /// Returns the outcome: `signed`, `unsigned`, or the word that leaves it undecided.
    fn settled(mut module: MlirModule, text: &str) -> String {
        let open = settle(&mut module, &[text]);
        let f = &module.ops[0].regions[0].blocks[0].ops[0];
        let o = f.regions[0].blocks[0].ops.last().unwrap();
        assert_eq!(open.into_iter().collect::<Vec<_>>(), o.text(MARK).into_iter().collect::<Vec<_>>());
        match (o.text(MARK), asks_for_sign(o)) {
            (Some(word), _) => word.to_owned(),
            (None, Some(_)) => "signed".into(),
            (None, None) => "unsigned".into(),
        }
    }

    /// Returns the outcome for an operation in `f`, whose source is given.
    fn of(op: &str, ty: &str, text: &str) -> String {
        settled(module("_Z1fv", "", op, ty), text)
    }

    #[test]
    fn a_function_that_knows_no_signed_number_of_64_bits_compares_sizes() {
        let f = "bool f(size_t n, int k) { for (size_t i = 0; i < n; i++) a[i] = k; }";
        assert_eq!(of("arith.cmpi", "i64", f), "unsigned");
        assert_eq!(of("arith.divsi", "i64", f), "unsigned");
        assert_eq!(of("arith.fptosi", "i64", f), "unsigned");
        // The only 32-bit type here is `int`.
        assert_eq!(of("arith.cmpi", "i32", f), "signed");
        assert_eq!(of("arith.extsi", "i32", f), "signed");
        for signed in
            ["long m = 0;", "g(3L);", "p->length;", "auto m = n;", "int64_t m;", "x = (long long)k;", "S::limit;"]
        {
            let text =
                format!("struct S {{ static const long limit; }}; {}", f.replace("{ for", &format!("{{ {signed} for")));
            assert_ne!(of("arith.cmpi", "i64", &text), "unsigned", "{signed}");
        }
        let other = "unsigned long f(unsigned long long a, size_t b) { return a < b; }";
        assert_eq!(of("arith.cmpi", "i64", other), "unsigned");
        // A callee may return a signed integer.
        let called = |symbol: &str| {
            let call = format!("%c = \"func.call\"() {{callee = @{symbol}}} : () -> i64\n");
            settled(module("_Z1fv", &call, "arith.cmpi", "i64"), f)
        };
        assert_eq!([called("clock64"), called("strlen")], ["size_t", "unsigned"]);
    }

    #[test]
    fn what_a_function_does_not_name_does_not_matter_to_it() {
        let text = "size_t other(size_t a) { return a; }\n/* size_t */ int f(int a) { return a / 2; } // size_t\nint main() { size_t n = 3; }";
        assert_eq!(of("arith.divsi", "i64", text), "signed");
        assert_eq!(of("arith.divsi", "i32", text), "signed");
        let default = "size_t s; int g(int) { return s; } int f(int k = 3) { return k / 2; } struct S { S() : a{1}, b{2} { g(s); } size_t a, b; };";
        assert_eq!(of("arith.divsi", "i64", default), "signed");
        assert_eq!(of("arith.divsi", "i64", "int f(int n) { return n / sizeof(int); }"), "signed");
        // Without the function's text, the whole source counts.
        assert_eq!(of("arith.divsi", "i64", "long m; size_t n; MAKE(f)"), "n");
    }

    #[test]
    fn unsigned_by_another_name_is_open() {
        for (op, ty, text, word) in [
            ("arith.divsi", "i32", "int f(uint32_t a, int b) { return b / 2; }", "uint32_t"),
            ("arith.extsi", "i32", "long f(uint32_t a) { return a; }", "uint32_t"),
            ("arith.cmpi", "i32", "bool f(unsigned a) { auto b = a; return b < 7; }", "auto"),
            ("arith.divsi", "i32", "typedef unsigned index; int f(index i) { return i / 2; }", "index"),
            ("arith.divsi", "i32", "using index = unsigned int; int f(index i) { return i / 2; }", "index"),
            ("arith.divsi", "i32", "struct S { int a; uint32_t n, *p; }; int f(S *s) { return s->p[0] / 2; }", "p"),
            ("arith.divsi", "i32", "struct S { uint32_t a, n; } s; int f() { return s.n / 2; }", "n"),
            ("arith.divsi", "i32", "#define INDEX uint32_t\nint f(INDEX i) { return i / 2; }", "INDEX"),
            ("arith.divsi", "i32", "__device__ uint32_t count(int); int f() { return count(3) / 2; }", "count"),
            ("arith.divsi", "i32", "static __device__ uint32_t total = 3; int f() { return total / 2; }", "total"),
            ("arith.extsi", "i32", "enum E { A, B }; long f(E e) { return e; }", "E"),
            ("arith.extsi", "i32", "enum class E : unsigned { A, B }; long f(E e) { return (long)e; }", "E"),
            ("arith.cmpi", "i32", "bool f(std::vector<unsigned> &a) { return a[0] < 7; }", "unsigned"),
            ("arith.cmpi", "i32", "std::vector<unsigned> all; bool f() { return all[0] < 7; }", "all"),
            ("arith.cmpi", "i64", "bool f(std::vector<int> &a, long i) { return i < a.size(); }", "size"),
            (
                "arith.cmpi",
                "i32",
                "template <class T> struct V { T n; }; V<uint32_t> v; bool f() { return v.n < 7; }",
                "n",
            ),
            (
                "arith.divsi",
                "i32",
                "struct __align__(8) S { uint32_t n; }; int f(S s, int b = 3) { return s.n / 2; }",
                "n",
            ),
            (
                "arith.divsi",
                "i32",
                "template <class T = int> struct S final : B<T> { uint32_t n; }; int f(S<> s) { return s.n / 2; }",
                "n",
            ),
            (
                "arith.divsi",
                "i32",
                "#if A\nvoid g(int a) {\n#else\nvoid g(long a) {\n#endif\n}\nint f(S s) { return s.n / 2; }\nstruct S { uint32_t n; };",
                "uint32_t",
            ),
            (
                "arith.cmpi",
                "i32",
                "namespace a { namespace { uint32_t deep; } } bool f() { return a::deep < 7; }",
                "deep",
            ),
        ] {
            assert_eq!(of(op, ty, text), word, "{text}");
        }
    }

    #[test]
    fn instances_of_templates_are_what_their_arguments_are() {
        let text = "template <typename T> T t(T a) { return a / 2; } unsigned u(unsigned a) { return t(a); } int main() { t(3); }";
        assert_eq!(settled(module("_Z1tIjET_S0_", "", "arith.divsi", "i32"), text), "t");
        assert_eq!(settled(module("_Z1tIiET_S0_", "", "arith.divsi", "i32"), text), "signed");
        let call = |symbol: &str| format!("%c = \"func.call\"() {{callee = @{symbol}}} : () -> i32\n");
        assert_eq!(settled(module("_Z1uj", &call("_Z1tIjET_S0_"), "arith.divsi", "i32"), text), "t");
        assert_eq!(settled(module("_Z1uj", &call("_Z1tIiET_S0_"), "arith.divsi", "i32"), text), "signed");
        // CUDA's own functions return error codes.
        let malloc = "%c = \"func.call\"() {callee = @_ZL10cudaMallocIjE9cudaErrorPPT_m} : () -> i32\n";
        assert_eq!(settled(module("_Z1uj", malloc, "arith.divsi", "i32"), text), "signed");
        let size = "%c = \"func.call\"() {callee = @_ZNKSt6vectorIiSaIiEE4sizeEv} : () -> i64\n";
        assert_eq!(settled(module("_Z1uj", size, "arith.divsi", "i64"), text), "size");
    }

    #[test]
    fn what_may_be_either_is_made_either() {
        let text = "\"builtin.module\"() ({\n\"func.func\"() <{sym_name = \"_Z1fi\", function_type = (i32) -> i32}> ({\n^bb0(%0: i32):\n\
                    %2 = \"arith.constant\"() <{value = 2 : i32}> : () -> i32\n\
                    %1 = \"arith.divsi\"(%0, %2) : (i32, i32) -> i32\n\"func.return\"(%1) : (i32) -> ()\n}) : () -> ()\n}) : () -> ()";
        let mut m = mlir::read(text).unwrap();
        settle(&mut m, &["int f(uint32_t a) { return a / 2; }"]);
        let lowered = super::super::lower::module::lower(&m, &Default::default()).unwrap();
        let text = lowered.host.to_string();
        assert!(text.contains("udiv") && text.contains("sdiv"), "{text}");
        assert!(text.contains("select opaque(signedness of operations, which cgeist omits for `uint32_t`)"), "{text}");
    }
}
