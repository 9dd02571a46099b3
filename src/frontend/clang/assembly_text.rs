//! Inline assembly that nvcc takes and clang refuses for its form.
//!
//! In: a source. Out: the source with `%` doubled, commas between operands, or string operands read as constants.

use super::positions::{SourcePosition, offset};
use super::source_overlay::{is_word, skip_text};
use std::collections::BTreeSet;

/// Replaces the constraints of string operands at these positions (line, column) by those of constants. The template,
/// with a number in place of the string, is then no known instruction.
pub(super) fn without_texts(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<u8> {
    let mut out = source.to_vec();
    for place in places {
        if let Some(at) =
            offset(source, *place).filter(|at| out.get(*at..).is_some_and(|rest| rest.starts_with(b"\"C\"")))
        {
            out[at + 1] = b'i';
        }
    }
    out
}

/// Doubles each `%` without an operand number in the templates of `asm` statements with operands. (Without operands
/// nothing is substituted, and clang takes a `%` literally.)
#[must_use]
pub fn escape_percents(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 64);
    let mut at = 0;
    while at < source.len() {
        let skipped = skip_text(source, at);
        if skipped > at {
            out.extend_from_slice(&source[at..skipped]);
            at = skipped;
        } else if let Some(open) = asm_statement(source, at) {
            out.extend_from_slice(&source[at..open]);
            at = template(source, open, &mut out);
        } else if is_word(source[at]) {
            let end = at + source[at..].iter().take_while(|b| is_word(**b)).count();
            out.extend_from_slice(&source[at..end]);
            at = end;
        } else {
            out.push(source[at]);
            at += 1;
        }
    }
    out
}

/// Inserts missing commas between operands of `asm` statements: `"=r"(a) "r"(b)`.
#[must_use]
pub fn with_commas(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 64);
    let mut at = 0;
    while at < source.len() {
        let skipped = skip_text(source, at);
        let end = if skipped > at {
            skipped
        } else if let Some(open) = asm_statement(source, at) {
            out.extend_from_slice(&source[at..open]);
            at = operands(source, open, &mut out);
            continue;
        } else if is_word(source[at]) {
            at + source[at..].iter().take_while(|b| is_word(**b)).count()
        } else {
            at + 1
        };
        out.extend_from_slice(&source[at..end]);
        at = end;
    }
    out
}

/// Copies the text after an opening parenthesis, up to the closing one, with commas between operands; returns its end.
fn operands(s: &[u8], from: usize, out: &mut Vec<u8>) -> usize {
    let (mut at, mut depth, mut in_operands, mut ended) = (from, 1, false, false);
    while at < s.len() && depth > 0 {
        let skipped = skip_text(s, at);
        let is_comment = skipped > at && s[at] == b'/';
        if !is_comment && !s[at].is_ascii_whitespace() {
            if ended && matches!(s[at], b'"' | b'[') {
                out.push(b',');
            }
            ended = false;
        }
        let end = skipped.max(at + 1);
        if skipped == at {
            match s[at] {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    ended = depth == 1 && in_operands;
                }
                b':' if depth == 1 => in_operands = true,
                _ => {}
            }
        }
        out.extend_from_slice(&s[at..end]);
        at = end;
    }
    at
}

/// Returns the offset after the opening parenthesis of an `asm` statement that begins at `at`.
fn asm_statement(s: &[u8], at: usize) -> Option<usize> {
    let word = |from: usize| from + s[from..].iter().take_while(|b| is_word(**b)).count();
    let blanks = |from: usize| from + s[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let end = word(at);
    if !matches!(&s[at..end], b"asm" | b"__asm__" | b"__asm") {
        return None;
    }
    let mut i = blanks(end);
    while matches!(&s[i..word(i)], b"volatile" | b"__volatile__" | b"inline" | b"__inline__") {
        i = blanks(word(i));
    }
    (s.get(i) == Some(&b'(')).then_some(i + 1)
}

/// Copies the template after an opening parenthesis, escaped if a colon ends it; returns its end.
fn template(s: &[u8], from: usize, out: &mut Vec<u8>) -> usize {
    let mut end = from;
    while end < s.len() && !matches!(s[end], b':' | b')') {
        let skipped = skip_text(s, end);
        end = if skipped > end { skipped } else { end + 1 };
    }
    let text = &s[from..end];
    if s.get(end) != Some(&b':') {
        out.extend_from_slice(text);
        return end;
    }
    let mut i = 0;
    while i < text.len() {
        out.push(text[i]);
        if text[i] == b'%' {
            match text.get(i + 1) {
                Some(b'%') => {
                    out.push(b'%');
                    i += 1;
                }
                Some(b) if b.is_ascii_digit() => {}
                _ => out.push(b'%'),
            }
        }
        i += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(s: &str) -> String {
        String::from_utf8(escape_percents(s.as_bytes())).unwrap()
    }

    #[test]
    fn registers_in_templates_with_operands_are_escaped() {
        assert_eq!(
            escaped(r#"asm("mov %0, %tid.x; %%r" : "=r"(a % b));"#),
            r#"asm("mov %0, %%tid.x; %%r" : "=r"(a % b));"#
        );
        assert_eq!(
            escaped("asm volatile (\".reg .pred %p<5>;\"\n \"x %1;\" /* % */ :: \"r\"(n));"),
            "asm volatile (\".reg .pred %%p<5>;\"\n \"x %1;\" /* %% */ :: \"r\"(n));"
        );
    }

    #[test]
    fn operands_of_assembly_get_their_commas() {
        let with = |s: &str| String::from_utf8(with_commas(s.as_bytes())).unwrap();
        assert_eq!(
            with("asm volatile(STR(a) \"b\" : \"=r\"(f(x, (y))) \"=r\"(z) /* ( */\n [n] \"r\"(w), \"r\"(v) : \"memory\"); g(\"a\") \"b\";"),
            "asm volatile(STR(a) \"b\" : \"=r\"(f(x, (y))) ,\"=r\"(z) /* ( */\n [n] \"r\"(w), \"r\"(v) : \"memory\"); g(\"a\") \"b\";"
                .replace("\n [n]", "\n ,[n]")
        );
        for s in ["asm(\"x\" : \"=r\"(a), \"=r\"(b) : \"r\"(c));", "f(a) \"=r\"(b)", "asm(\"x\" : \"=r\"(a"] {
            assert_eq!(with(s), s);
        }
    }

    #[test]
    fn everything_else_stays() {
        for s in [
            r#"asm("mov x, %tid.x;");"#,
            r#"printf("%d : %s", a % b);"#,
            "// asm(\"%x\" : )\nint my_asm(int);",
            r#"const char *s = "asm(\"%x\" :)";"#,
            "int a = b % c;",
            "'",
            "asm",
            "\"open",
            "R\"x(asm(\"%x\" : \"r\"(a)))x\"",
            "R\"open",
        ] {
            assert_eq!(escaped(s), s);
        }
    }
}
