//! Launches with blanks inside their brackets (`kernel << <grid, block >> > (…)`, as some formatters leave them). nvcc
//! takes `<<` and `<` as one bracket whatever blanks are between them, clang does not.
//!
//! In: a source and the positions where clang expected an expression. Out: the source with these brackets joined, each
//! as wide as before.

use super::positions::{SourcePosition, offset};
use super::source_overlay::skip_text;
use std::collections::BTreeSet;

/// clang's message for a separate third bracket (clang/Basic/DiagnosticParseKinds.td, LLVM 22).
pub(super) const EXPRESSION: &str = "error: expected expression";

/// Joins the launch brackets at these positions (line, column), and the brackets that close them.
pub(super) fn together(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<u8> {
    let mut out = source.to_vec();
    for place in places {
        let Some(at) = offset(source, *place) else { continue };
        if apart(source, b'<', at)
            && let Some(closing) = closing(source, at + 1)
        {
            join(&mut out, at);
            join(&mut out, closing);
        } else if apart(source, b'>', at) {
            join(&mut out, at);
        }
    }
    out
}

/// Whether the bracket at `at` follows two others, with blanks in between.
fn apart(source: &[u8], bracket: u8, at: usize) -> bool {
    let before = source.get(..at).unwrap_or_default().trim_ascii_end();
    source.get(at) == Some(&bracket) && before.ends_with(&[bracket, bracket])
}

/// Moves the bracket at `at` next to those before it.
fn join(source: &mut [u8], at: usize) {
    let to = source[..at].trim_ascii_end().len();
    source.swap(to, at);
}

/// Returns the last of the brackets that close a launch whose configuration begins at `from`.
fn closing(source: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_u32);
    while at < source.len() {
        let skipped = skip_text(source, at);
        if skipped > at {
            at = skipped;
            continue;
        }
        match source[at] {
            b'>' if depth == 0 && apart(source, b'>', at) && source[at + 1..].trim_ascii_start().starts_with(b"(") => {
                return Some(at);
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b';' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(s: &str, places: &[(usize, usize)]) -> String {
        String::from_utf8(together(s.as_bytes(), &places.iter().copied().collect())).unwrap()
    }

    #[test]
    fn brackets_of_launches_come_together() {
        assert_eq!(with("k<N> << <g, b >> > (p);", &[(1, 9)]), "k<N> <<< g, b >>>  (p);");
        assert_eq!(with("k <<\t<(g >> 1) / 2, b[1]>>>(p);", &[(1, 6)]), "k <<<\t(g >> 1) / 2, b[1]>>>(p);");
        assert_eq!(
            with("\n  k<<  <f<int>(), sizeof(T<a<b>>)>> > (p);", &[(2, 8)]),
            "\n  k<<<  f<int>(), sizeof(T<a<b>>)>>>  (p);"
        );
        assert_eq!(with("k<<<1, W<2> >> >(p);", &[(1, 16)]), "k<<<1, W<2> >>> (p);");
    }

    #[test]
    fn all_else_stays() {
        for s in ["a << <b;", "a << b;", "", "k << <g, \">> >(\"; f(a);", "k << <g, b >> (p);", "k << <g) >> > (p);"] {
            for column in 1..8 {
                assert_eq!(with(s, &[(1, column), (3, 1)]), s);
            }
        }
    }
}
