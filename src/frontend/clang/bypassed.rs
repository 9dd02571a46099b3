//! Initialised variables that a jump goes past (`case 1: int x = 2; … case 2:`). nvcc 13.5 takes them in device code, with
//! a warning; clang refuses them everywhere, as GCC does in host code.
//!
//! In: clang's messages, a source. Out: insertions that make an assignment of such an initialiser (`int x; x = 2;`). Both
//! are the same for numbers and pointers, so that no other types are taken.

use super::insertions::TokenInsertion;
use super::positions::{SourcePosition, offset, place};
use super::source_overlay::{is_word, skip_text};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// clang's note at each such variable (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
const BYPASSED: &str = ": note: jump bypasses variable initialization";

/// Words of types of numbers.
const NUMBERS: [&str; 9] = ["unsigned", "signed", "char", "short", "int", "long", "float", "double", "bool"];
/// Names for types of numbers (C standard library; CUDA's `vector_types.h` has none of them).
const NAMED_NUMBERS: [&str; 11] = [
    "size_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint",
];

/// Returns the positions of the variables.
pub(super) fn variables(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    let notes = messages.lines().filter(|line| line.ends_with(BYPASSED)).filter_map(place);
    notes.map(|(file, line, column)| (file.to_owned(), (line, column))).collect()
}

/// Returns the insertions that split the declarations at these positions.
pub(super) fn split(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let at = places.iter().filter_map(|p| offset(source, *p));
    at.filter_map(|at| assignment(source, at)).collect()
}

/// Returns the insertion for the variable whose name begins at an offset.
fn assignment(source: &[u8], at: usize) -> Option<TokenInsertion> {
    let begin = source[..at].iter().rposition(|b| matches!(b, b';' | b'{' | b'}' | b':' | b')')).map_or(0, |n| n + 1);
    let is_of_other_namespace = source[..begin].ends_with(b"::") && !source[..begin].ends_with(b"std::");
    let ty = std::str::from_utf8(&source[begin..at]).ok().filter(|ty| is_scalar(ty) && !is_of_other_namespace)?;
    let length = source[at..].iter().take_while(|b| is_word(**b)).count();
    let name = std::str::from_utf8(&source[at..at + length]).ok().filter(|n| !n.is_empty() && !ty.is_empty())?;
    let sign = at + length + source[at + length..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let is_initialised = source.get(sign) == Some(&b'=') && source.get(sign + 1) != Some(&b'=');
    (is_initialised && is_only_declarator(source, sign)).then(|| TokenInsertion::before(sign, format!("; {name} ")))
}

/// Whether a declaration's specifiers, and what stands before the name, give a modifiable number or pointer.
fn is_scalar(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || matches!(c, '_' | '*'));
    let is_pointer = text.trim_end().ends_with('*');
    let number = words.iter().all(|w| NUMBERS.contains(w)) || matches!(words[..], [w] if NAMED_NUMBERS.contains(&w));
    let fixed = ["static", "constexpr", "extern", "typedef", "using", "case", "auto", "return"];
    plain && !words.is_empty() && (is_pointer || number) && !words.iter().any(|w| fixed.contains(w))
}

/// Whether no further declarator follows an initialiser.
fn is_only_declarator(source: &[u8], from: usize) -> bool {
    let (mut at, mut depth) = (from, 0_usize);
    while at < source.len() {
        let skipped = skip_text(source, at);
        if skipped > at {
            at = skipped;
            continue;
        }
        match source[at] {
            b';' if depth == 0 => return true,
            b',' if depth == 0 => return false,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::insertions::inserted;
    use super::*;

    fn with(source: &str, column: usize) -> String {
        let message = format!("a.cu:1:{column}: note: jump bypasses variable initialization\n");
        let places = variables(&message).into_iter().map(|(_, at)| at).collect();
        String::from_utf8(inserted(source.as_bytes(), split(source.as_bytes(), &places))).unwrap()
    }

    #[test]
    fn initialisers_become_assignments() {
        assert_eq!(with("case 1: int x = f(2, 3);", 13), "case 1: int x ; x = f(2, 3);");
        assert_eq!(with("{ const float *p= a;", 16), "{ const float *p; p = a;");
        assert_eq!(with("; unsigned long n = 1;", 17), "; unsigned long n ; n = 1;");
    }

    #[test]
    fn other_declarations_stay() {
        for (other, column) in [
            ("case 1: int x = 1, y = 2;", 13),
            ("case 1: const int x = 1;", 19),
            ("case 1: V x = 1;", 11),
            ("case 1: int &x = y;", 14),
            ("case 1: int *const x = y;", 20),
            ("case 1: int x[] = {1};", 13),
            ("case 1: auto x = 1;", 14),
            ("case 1: int x(1);", 13),
            ("int a = 1, x = 1;", 12),
            ("case 1: a::uint x = 1;", 17),
        ] {
            assert_eq!(with(other, column), other);
        }
    }
}
