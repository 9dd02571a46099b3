//! Known differences between cgeist's reading of a source and a compiler's.
//!
//! cgeist drops `throw` and `catch`, supports neither managed variables nor OpenMP, makes bit-fields separate words,
//! and loses the row length of `T (*p)[n]`. A verdict that one of these could affect is uncertain. Whether one could is
//! judged from the source text. For signedness see `signs`.

use std::collections::BTreeSet;

/// Returns the doubts about a module of these sources, in words; empty if there are none.
#[must_use]
pub fn about(sources: &[&str]) -> Vec<String> {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    let (mut fields, mut rows) = (false, false);
    let plain: Vec<String> = sources.iter().map(|s| super::lower::unit::with_macros(s)).collect();
    for text in &plain {
        words.extend(text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty()));
        fields |= has_bit_field(text);
        rows |= has_row_pointer(text);
    }
    let mut out = vec![];
    if words.contains("throw") || words.contains("catch") {
        out.push("cgeist drops exceptions".into());
    }
    if words.contains("__managed__") {
        out.push("cgeist makes two variables of a managed one".into());
    }
    if words.contains("omp") && words.contains("parallel") {
        out.push("cgeist reads OpenMP's regions as sequential code".into());
    }
    if let Some(word) = ["__block_size__", "__cluster_dims__"].iter().find(|w| words.contains(**w)) {
        out.push(format!("cgeist drops `{word}`"));
    }
    if fields {
        out.push("cgeist lays out bit-fields differently".into());
    }
    if rows {
        out.push("cgeist loses the row length of pointers to arrays".into());
    }
    out
}

/// Whether a text has a bit-field: `type name : 3, other : WIDTH;` in a structure, but not `? :`, `case 3:`, `public:`,
/// base classes or initialisers.
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
                // `unsigned : 3` reserves bits; in `label: statement` no number follows.
                [_] => {
                    s[..i].contains(',') && !width.is_empty()
                        || !right.is_empty() && right.bytes().all(|c| c.is_ascii_digit())
                }
                [first, ..] => *first != "case" && !width.is_empty(),
            }
        })
    })
}

/// Whether a text has a pointer to rows: `(*name)[`, with qualifiers or without a name, or a named array type.
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

    #[test]
    fn constructs_that_are_lost() {
        let of = |text: &str| about(&[text]);
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
            assert_eq!(of(&format!("struct S {{ {text} }};")), ["cgeist lays out bit-fields differently"], "{text}");
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
