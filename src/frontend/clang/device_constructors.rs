//! Constructors of the device that host templates call. nvcc 13.5 tells nothing of them in templates, and gives its host
//! compiler a constructor with the same initialisers and a body that does nothing. clang refuses the call.
//!
//! In: clang's messages on the host side, a source. Out: attributes of both sides for those whose body is empty, so that
//! it does nothing on the device either. Others are refused as before.

use super::insertions::{TokenInsertion, attributes};
use super::positions::{SourcePosition, offset, place};
use super::source_overlay::{is_word, parenthesis, skip_text};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// clang's note at such a constructor (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
const CALLED: &str = ": note: candidate constructor not viable: call to __device__ function from __host__ function";

/// Returns the positions of constructors of the device that the host calls.
pub(super) fn called(messages: &str) -> Vec<(PathBuf, SourcePosition)> {
    let notes = messages.lines().filter(|line| line.trim_end().ends_with(CALLED)).filter_map(place);
    notes.map(|(file, line, column)| (file.to_owned(), (line, column))).collect()
}

/// Returns the insertions of attributes for the constructors at these positions that have an empty body.
pub(super) fn of_both_sides(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<TokenInsertion> {
    let is_empty = |place: &&SourcePosition| offset(source, **place).is_some_and(|at| has_empty_body(source, at));
    attributes(source, &places.iter().filter(is_empty).copied().collect())
}

/// Whether the constructor that is defined at an offset has an empty body, behind its parameters and initialisers.
fn has_empty_body(source: &[u8], at: usize) -> bool {
    let word = |from: usize| from + source[from..].iter().take_while(|b| is_word(**b)).count();
    let after = |sign: u8, from: usize| (source.get(from) == Some(&sign)).then_some(from + 1);
    let parameters = after(b'(', blanks(source, word(at))).and_then(|open| Some(open + parenthesis(&source[open..])?));
    let Some(mut next) = parameters.map(|end| blanks(source, end)) else { return false };
    let mut is_initialiser = source.get(next) == Some(&b':') && source.get(next + 1) != Some(&b':');
    while is_initialiser {
        // A member's name and its value; templates of base classes are not looked through.
        let open = blanks(source, word(blanks(source, next + 1)));
        let Some(end) = after(b'(', open).and_then(|open| Some(open + parenthesis(&source[open..])?)) else {
            return false;
        };
        next = blanks(source, end);
        is_initialiser = source.get(next) == Some(&b',');
    }
    after(b'{', next).is_some_and(|open| source.get(blanks(source, open)) == Some(&b'}'))
}

/// Skips blanks and comments.
fn blanks(source: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < source.len() {
        let is_comment = source[at..].starts_with(b"//") || source[at..].starts_with(b"/*");
        at = match source[at] {
            b if b.is_ascii_whitespace() => at + 1,
            _ if is_comment => skip_text(source, at),
            _ => return at,
        };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_bodies_are_taken() {
        let is_empty = |text: &str| has_empty_body(text.as_bytes(), 0);
        for text in ["R(double d) {}", "R (f(1)) : a(d), b((d)) { /* none */ }", "R()\n\t: a(1)\n{\n}"] {
            assert!(is_empty(text), "{text}");
        }
        for text in ["R(double d) { a = d; }", "R(double d);", "R() : a{1} {}", "R() = default;", "R() : a(1", "R"] {
            assert!(!is_empty(text), "{text}");
        }
        let note = format!("a.cu:1:5{CALLED}\n");
        assert_eq!(called(&note), [(PathBuf::from("a.cu"), (1, 5))]);
        assert_eq!(called("a.cu:1:5: note: candidate constructor not viable: requires 2 arguments\n"), []);
    }
}
