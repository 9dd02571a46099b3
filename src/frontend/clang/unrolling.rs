//! `#pragma unroll` where clang takes none: before a statement that is no loop, at the end of a block, or with an
//! argument that is no positive integer. nvcc 13.5 ignores such a pragma, with a warning.
//!
//! In: clang's messages, a source. Out: the source with these pragmas blanked. A pragma of this kind changes no meaning,
//! and no position changes either.

use super::positions::{SourcePosition, place};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Names of pragmas that ask for unrolled loops (CUDA C++ Programming Guide 13.0, "#pragma unroll"; clang's documentation).
const NAMES: [&[u8]; 2] = [b"unroll", b"nounroll"];

/// clang's messages for a pragma in a line above (clang/Basic/DiagnosticParseKinds.td and DiagnosticSemaKinds.td, LLVM 22).
const WITHOUT_LOOP: [&str; 2] =
    [" error: expected a for, while, or do-while loop to follow '#pragma ", " error: expected statement"];

/// Positions of clang's errors, and whether each may concern a pragma in a line above.
pub(super) type ErrorPositions = BTreeSet<(SourcePosition, bool)>;

/// Returns the positions of all errors.
pub(super) fn errors(messages: &str) -> Vec<(PathBuf, (SourcePosition, bool))> {
    let of_line = |line: &str| {
        let (file, number, column) = place(line).filter(|_| line.contains(" error: "))?;
        Some((file.to_owned(), ((number, column), WITHOUT_LOOP.iter().any(|m| line.contains(m)))))
    };
    messages.lines().filter_map(of_line).collect()
}

/// Blanks each pragma that stands in a line of an error, or directly before what should have been its loop.
pub(super) fn without_refused(source: &[u8], errors: &ErrorPositions) -> Vec<u8> {
    let lines: Vec<&[u8]> = source.split(|b| *b == b'\n').collect();
    let mut refused = BTreeSet::new();
    for ((line, _), may_be_above) in errors {
        let Some(index) = line.checked_sub(1).filter(|i| *i < lines.len()) else { continue };
        if is_pragma(lines[index]) {
            refused.insert(index);
        } else if *may_be_above {
            let is_between = |i: &usize| lines[*i].trim_ascii().is_empty() || is_pragma(lines[*i]);
            refused.extend((0..index).rev().take_while(is_between).filter(|i| is_pragma(lines[*i])));
        }
    }
    let kept = |(index, line): (usize, &&[u8])| match refused.contains(&index) {
        true => line.iter().map(|b| if *b == b'\r' { *b } else { b' ' }).collect(),
        false => line.to_vec(),
    };
    lines.iter().enumerate().map(kept).collect::<Vec<Vec<u8>>>().join(&b'\n')
}

/// Whether a line is such a pragma, and whole: none that goes on in the next line.
fn is_pragma(line: &[u8]) -> bool {
    let Some(directive) = line.trim_ascii().strip_prefix(b"#") else { return false };
    let Some(pragma) = directive.trim_ascii_start().strip_prefix(b"pragma") else { return false };
    let name = pragma.trim_ascii_start();
    let length = name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    NAMES.contains(&&name[..length]) && name.len() < pragma.len() && !line.trim_ascii_end().ends_with(b"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(source: &str, message: &str) -> String {
        let errors = errors(message).into_iter().map(|(_, error)| error).collect();
        String::from_utf8(without_refused(source.as_bytes(), &errors)).unwrap()
    }

    #[test]
    fn pragmas_before_what_is_no_loop_are_blanked() {
        let source = "f();\n#pragma unroll\n\n  x = 1;\n#pragma unroll 4\r\nfor (;;) {}\n";
        let loop_ = "error: expected a for, while, or do-while loop to follow '#pragma unroll'";
        let first = "f();\n              \n\n  x = 1;\n#pragma unroll 4\r\nfor (;;) {}\n";
        assert_eq!(without(source, &format!("a.cu:4:3: {loop_}")), first);
        let second = "f();\n#pragma unroll\n\n  x = 1;\n                \r\nfor (;;) {}\n";
        assert_eq!(without(source, "a.cu:5:16: error: invalid value '-1'; must be positive"), second);
        for other in ["a.cu:4:3: error: unknown", "a.cu:1:1: error: expected statement", "a.cu:4:3: note: expected"] {
            assert_eq!(without(source, other), source, "{other}");
        }
    }

    #[test]
    fn other_lines_are_no_such_pragmas() {
        for other in ["#pragma unrolled", "#pragmaunroll", "#pragma once", "// #pragma unroll", "#pragma unroll \\"] {
            assert!(!is_pragma(other.as_bytes()), "{other}");
        }
        for one in ["#pragma unroll", "  #  pragma nounroll", "#pragma unroll(N)"] {
            assert!(is_pragma(one.as_bytes()), "{one}");
        }
    }
}
