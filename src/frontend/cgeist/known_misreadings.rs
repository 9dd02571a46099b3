//! Where cgeist is known to read a source otherwise than a compiler does.
//!
//! It takes typedefs of unsigned types (`size_t`, `uint32_t`) for signed, drops `throw` and `catch`, makes bit-fields
//! separate words, and loses the row length behind `T (*p)[n]`. A verdict that one of these could matter to is not
//! certain. Whether one could is read off the text and the operations: typedefs matter where an operation of their width
//! asks for the sign.

use super::mlir::{self, Op, Type};
use crate::ir;
use std::collections::{BTreeMap, BTreeSet};

/// Widths of typedefs of unsigned types that the standard library and CUDA's headers give.
const UNSIGNED: &[(&str, u32)] = &[
    ("size_t", 64),
    ("size_type", 64),
    ("sizeof", 64),
    ("uint64_t", 64),
    ("uintptr_t", 64),
    ("uintmax_t", 64),
    ("ulong", 64),
    ("ulonglong", 64),
    ("uint_fast32_t", 64),
    ("uint_fast64_t", 64),
    ("cudaTextureObject_t", 64),
    ("uint32_t", 32),
    ("uint", 32),
    ("uint_least32_t", 32),
    ("uint16_t", 16),
    ("ushort", 16),
    ("uint8_t", 8),
    ("uchar", 8),
    ("u_int32_t", 32),
    ("u32", 32),
    ("u64", 64),
    ("u16", 16),
    ("u8", 8),
];

/// The same module as it is where every subscript is unsigned; `None` where it has none of which that is not known. cgeist
/// extends all of them by the sign, so that only what holds of both modules holds.
#[must_use]
pub fn unsigned_subscripts(m: &ir::Module) -> Option<ir::Module> {
    let mut other = m.clone();
    let mut any = false;
    for i in other.functions.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.insts) {
        if let ir::Op::Cast { op: op @ ir::CastOp::SExt, nneg: true, .. } = &mut i.op {
            *op = ir::CastOp::ZExt;
            any = true;
        }
    }
    any.then_some(other)
}

/// Calls whose result is a `size_t` that the source need not spell.
const SIZES: &[&str] = &[
    ".size(",
    "->size(",
    "::size(",
    ".length(",
    "->length(",
    ".capacity(",
    "->capacity(",
    "strlen(",
    "fread(",
    "fwrite(",
];

/// What is doubtful about a module of these sources, in words; empty where nothing is.
#[must_use]
pub fn about(module: &mlir::Module, sources: &[&str]) -> Vec<String> {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    let (mut fields, mut rows, mut own, mut sizes) = (false, false, false, false);
    let plain: Vec<String> = sources.iter().map(|s| super::lower::unit::with_macros(s)).collect();
    for text in &plain {
        words.extend(text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty()));
        fields |= has_bit_field(text);
        rows |= has_row_pointer(text);
        sizes |= SIZES.iter().any(|s| text.contains(s));
        own |= text.split(';').any(|s| {
            let s = s.trim();
            s.contains("unsigned") && (s.contains("typedef ") || s.contains("using "))
        });
    }
    let signed = sign_sensitive(module);
    let mut out = vec![];
    if let Some((name, _)) = UNSIGNED
        .iter()
        .find(|(n, bits)| words.contains(n) && signed.contains(bits))
        .or_else(|| UNSIGNED.first().filter(|u| sizes && signed.contains(&u.1)))
    {
        let name = if *name == "sizeof" { "size_t" } else { name };
        out.push(format!("cgeist takes `{name}` for a signed type"));
    } else if own && !signed.is_empty() {
        out.push("cgeist takes typedefs of unsigned types for signed ones".into());
    }
    if words.contains("throw") || words.contains("catch") {
        out.push("cgeist drops exceptions".into());
    }
    if fields {
        out.push("cgeist lays out bit-fields otherwise".into());
    }
    if rows {
        out.push("cgeist loses the row length of pointers to arrays".into());
    }
    out
}

/// Widths of operands of operations in the user's functions whose result depends on the sign, and could matter to an access.
fn sign_sensitive(module: &mlir::Module) -> BTreeSet<u32> {
    let mut out = BTreeSet::new();
    for top in &module.ops {
        top.walk(&mut |f| {
            if f.name != "func.func" || is_library(f) {
                return;
            }
            // Where none asks, nobody need know what uses what.
            let mut uses = None;
            f.walk(&mut |o| {
                let asks = match o.name.as_str() {
                    "arith.divsi" | "arith.remsi" | "arith.shrsi" | "arith.maxsi" | "arith.minsi" | "arith.extsi"
                    | "arith.floordivsi" | "arith.ceildivsi" => true,
                    // Programs tell how long they took.
                    "arith.sitofp" => !is_only_printed(o, uses.get_or_insert_with(|| uses_in(f))),
                    "arith.cmpi" => o.int("predicate").is_some_and(|p| (2..=5).contains(&p)),
                    _ => false,
                };
                if asks && let Some(Type::Int(bits)) = o.operand_types.first() {
                    out.insert(*bits);
                }
            });
        });
    }
    out
}

/// The operations that use each value, and that which makes it.
#[derive(Default)]
struct Uses<'m> {
    of: BTreeMap<mlir::Value, Vec<&'m Op>>,
    makes: BTreeMap<mlir::Value, &'m Op>,
}

fn uses_in(f: &Op) -> Uses<'_> {
    let mut out = Uses::default();
    f.walk(&mut |o| {
        o.operands.iter().for_each(|v| out.of.entry(*v).or_default().push(o));
        o.results.iter().for_each(|v| {
            out.makes.insert(*v, o);
        });
    });
    out
}

/// Functions that print the numbers that they are given; none of them gives one back that a model knows.
const PRINTS: &[&str] = &["printf", "fprintf", "_ZNSolsEd", "_ZNSolsEf", "_ZNSo9_M_insertIdEERSoT_"];

/// Whether a number, and whatever is computed of it, is printed and nothing else: then it decides no access. Whatever else uses it,
/// or memory that may be seen elsewhere, is taken to matter.
fn is_only_printed(number: &Op, uses: &Uses<'_>) -> bool {
    let mut open: Vec<mlir::Value> = number.results.clone();
    let mut seen: BTreeSet<mlir::Value> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        for user in uses.of.get(&value).into_iter().flatten() {
            let next: Vec<mlir::Value> = match user.name.as_str() {
                "arith.mulf" | "arith.divf" | "arith.addf" | "arith.subf" | "arith.negf" | "arith.extf"
                | "arith.truncf" => user.results.clone(),
                "func.call" | "llvm.call" if user.text("callee").is_some_and(|c| PRINTS.contains(&c)) => vec![],
                // A variable of the function's own, that is loaded and stored only.
                "memref.store" | "affine.store" if user.operands.first() == Some(&value) => {
                    let Some(variable) = user.operands.get(1).filter(|v| **v != value) else { return false };
                    match loads_of(*variable, uses) {
                        Some(loads) => loads,
                        None => return false,
                    }
                }
                _ => return false,
            };
            open.extend(next.into_iter().filter(|v| seen.insert(*v)));
        }
    }
    true
}

/// What is loaded from a variable that nothing but loads and stores knows.
fn loads_of(variable: mlir::Value, uses: &Uses<'_>) -> Option<Vec<mlir::Value>> {
    uses.makes.get(&variable).filter(|o| o.name == "memref.alloca")?;
    let mut out = vec![];
    for user in uses.of.get(&variable).into_iter().flatten() {
        match user.name.as_str() {
            "memref.load" | "affine.load" => out.extend(&user.results),
            "memref.store" | "affine.store" if user.operands.first() != Some(&variable) => {}
            _ => return None,
        }
    }
    Some(out)
}

/// Functions that CUDA's and the standard headers give.
fn is_library(f: &Op) -> bool {
    let name = crate::frontend::names::demangle(f.text("sym_name").unwrap_or_default());
    name.starts_with("std::")
        || name.starts_with("dim3::")
        || name.starts_with("cuda")
        || name.starts_with("__") && !name.starts_with(super::lower::unit::STUB)
        || name.starts_with("atomic")
}

/// `type name : 3, other : WIDTH;` in a structure; `? :`, `case 3:`, `public:`, base classes and initialisers are none.
fn has_bit_field(text: &str) -> bool {
    text.split_inclusive([';', '{', '}']).filter_map(|s| s.strip_suffix(';')).any(|s| {
        s.char_indices().filter(|(_, c)| *c == ':').any(|(i, _)| {
            let (left, right) = (&s[..i], &s[i + 1..]);
            if left.ends_with(':') || right.starts_with(':') {
                return false;
            }
            let left = left.rsplit([',', ':']).next().unwrap_or_default();
            if left.contains(['?', '(', ')', '=', '[', ']']) {
                return false;
            }
            let words: Vec<&str> = left.split_whitespace().collect();
            let right = right.trim();
            let width = right.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            match words.as_slice() {
                [] => false,
                // `unsigned : 3` keeps bits free; `label: statement` is no number.
                [_] => {
                    s[..i].contains(',') && !width.is_empty()
                        || !right.is_empty() && right.bytes().all(|c| c.is_ascii_digit())
                }
                [first, ..] => *first != "case" && !width.is_empty(),
            }
        })
    })
}

/// `(*name)[`, with qualifiers or without a name; a name for an array type.
fn has_row_pointer(text: &str) -> bool {
    let pointer = text.match_indices("(*").any(|(i, _)| {
        let rest = &text[i + 2..];
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c.is_whitespace())).unwrap_or(rest.len());
        rest[end..].strip_prefix(')').is_some_and(|r| r.trim_start().starts_with('['))
    });
    pointer
        || text.split_inclusive([';', '{', '}']).filter_map(|s| s.strip_suffix(';')).any(|s| {
            let s = s.trim();
            s.ends_with(']') && (s.starts_with("typedef ") || s.starts_with("using "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(op: &str, ty: &str) -> mlir::Module {
        let text = format!(
            "\"builtin.module\"() ({{\n\"func.func\"() <{{sym_name = \"_Z1fi\", function_type = () -> ()}}> ({{\n%0 = \"arith.constant\"() <{{value = 1 : {ty}}}> : () -> {ty}\n%1 = \"{op}\"(%0, %0) : ({ty}, {ty}) -> {ty}\n}}) : () -> ()\n}}) : () -> ()"
        );
        mlir::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    #[test]
    fn typedefs_matter_where_the_sign_is_asked_for() {
        let of = |op: &str, ty: &str, text: &str| about(&module(op, ty), &[text]);
        assert_eq!(of("arith.divsi", "i64", "size_t n;"), ["cgeist takes `size_t` for a signed type"]);
        assert_eq!(of("arith.divsi", "i64", "n / sizeof(int)"), ["cgeist takes `size_t` for a signed type"]);
        assert!(of("arith.muli", "i64", "size_t n;").is_empty());
        assert!(of("arith.divsi", "i32", "size_t n;").is_empty());
        assert!(of("arith.divsi", "i64", "// size_t n;\nlong n; \"size_t\"").is_empty());
        assert_eq!(
            of("arith.divsi", "i64", "#define INDEX size_t\nINDEX n;"),
            ["cgeist takes `size_t` for a signed type"]
        );
        assert_eq!(of("arith.divsi", "i64", "auto n = v.size() / 2;"), ["cgeist takes `size_t` for a signed type"]);
        assert!(of("arith.divsi", "i32", "auto n = v.size() / 2;").is_empty());
        assert_eq!(
            of("arith.remsi", "i32", "typedef unsigned index; index i;"),
            ["cgeist takes typedefs of unsigned types for signed ones"]
        );
    }

    #[test]
    fn what_is_only_printed_has_no_sign_that_matters() {
        let of = |then: &str| {
            let text = format!(
                "\"builtin.module\"() ({{\n\"func.func\"() <{{sym_name = \"main\", function_type = () -> ()}}> ({{\n\
                 %n = \"arith.constant\"() <{{value = 1 : i64}}> : () -> i64\n\
                 %a = \"memref.alloca\"() : () -> memref<1xf32>\n\
                 %p = \"memref.alloca\"() : () -> memref<1xmemref<1xf32>>\n\
                 %z = \"arith.constant\"() <{{value = 0 : index}}> : () -> index\n\
                 %f = \"arith.sitofp\"(%n) : (i64) -> f32\n{then}\n}}) : () -> ()\n}}) : () -> ()"
            );
            about(&mlir::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}")), &["size_t n;"]).is_empty()
        };
        let stored = "\"memref.store\"(%f, %a, %z) : (f32, memref<1xf32>, index) -> ()\n\
                      %l = \"memref.load\"(%a, %z) : (memref<1xf32>, index) -> f32\n";
        let printed =
            "%e = \"arith.extf\"(%l) : (f32) -> f64\n%r = \"llvm.call\"(%e) {callee = @printf} : (f64) -> i32";
        assert!(of("%m = \"arith.mulf\"(%f, %f) : (f32, f32) -> f32"));
        assert!(of(&format!("{stored}{printed}")));
        for matters in [
            "%b = \"arith.cmpf\"(%f, %f) {predicate = 1 : i64} : (f32, f32) -> i1".to_owned(),
            "%b = \"arith.fptosi\"(%f) : (f32) -> i32".to_owned(),
            format!("{stored}%i = \"arith.fptosi\"(%l) : (f32) -> i32"),
            format!("{stored}\"memref.store\"(%a, %p, %z) : (memref<1xf32>, memref<1xmemref<1xf32>>, index) -> ()"),
            format!("{stored}%r = \"func.call\"(%l) {{callee = @own}} : (f32) -> i32"),
            "\"func.return\"(%f) : (f32) -> ()".to_owned(),
        ] {
            assert!(!of(&matters), "{matters}");
        }
    }

    #[test]
    fn constructs_that_are_lost() {
        let of = |text: &str| about(&module("arith.addi", "i32"), &[text]);
        assert_eq!(of("if (n < 0) throw std::runtime_error(x);"), ["cgeist drops exceptions"]);
        for text in ["#define CHECK(x) if (x) throw 1", "try { f(); } catch (...) {}", "throw;"] {
            assert_eq!(of(text), ["cgeist drops exceptions"], "{text}");
        }
        for text in [
            "unsigned a : 3;",
            "unsigned a:3, b:4;",
            "int a : WIDTH, : 2;",
            "public: unsigned a : 3;",
            "unsigned : 5;",
            "std::uint8_t a : 3 ;",
            "int a, b : 2;",
        ] {
            assert_eq!(of(&format!("struct S {{ {text} }};")), ["cgeist lays out bit-fields otherwise"], "{text}");
        }
        for text in [
            "void f(float (*m)[16]);",
            "void f(const int (*__restrict__ m) [N]);",
            "void f(int (*)[4]);",
            "typedef float row[16]; void f(row *m);",
            "using row = float[4];",
        ] {
            assert_eq!(of(text), ["cgeist loses the row length of pointers to arrays"], "{text}");
        }
        let none = "switch (x) { case 3: y = a ? b : 4; case A: return c ? d : e; default: break; } class A : public B { public: int b; A() : b(3), c(4) {} }; \
            int (*f)(int); for (int a : v) g(a); for (auto [a, b] : m) g(a); std::vector<int> w; again: f(1); int q = a ? b : c, r = 2; asm volatile(\"x\" : \"=r\"(a) : \"l\"(b)); enum E : char { X };";
        assert!(of(none).is_empty(), "{:?}", of(none));
    }
}
