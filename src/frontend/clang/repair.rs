//! Sources that nvcc takes and clang does not, for reasons of form alone: corrected copies, laid over the originals.
//!
//! In: what clang said. Out: an overlay file for `-ivfsoverlay`, under which clang reads the copy by the original's
//! name. Lines keep their numbers. Nothing on the user's disk is touched.
//!
//! One such form is known: nvcc reads a `%` in inline assembly that no operand number follows as itself (`%tid.x`),
//! clang demands `%%tid.x`.

use crate::frontend::paths::normalise;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// clang's message (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
const PERCENT: &str = "error: invalid % escape in inline assembly string";

/// An overlay that corrects the files clang complains about; `None` where there is nothing that we can correct.
pub(super) fn overlay(stderr: &str, directory: &Path, folder: &Path) -> Option<PathBuf> {
    let files: BTreeSet<PathBuf> = stderr.lines()
        .filter(|l| l.contains(PERCENT))
        .filter_map(|l| Some(normalise(directory, Path::new(l.split(':').next()?))))
        .collect();
    let mut roots = vec![];
    for (i, file) in files.iter().enumerate() {
        let text = std::fs::read(file).ok()?;
        let copy = folder.join(format!("corrected-{i}"));
        std::fs::write(&copy, escape_percents(&text)).ok()?;
        roots.push(serde_json::json!({"type": "file", "name": file, "external-contents": copy}));
    }
    if roots.is_empty() { return None; }
    let overlay = folder.join("overlay.json");
    let text = serde_json::json!({"version": 0, "use-external-names": false, "roots": roots}).to_string();
    std::fs::write(&overlay, text).ok()?;
    Some(overlay)
}

/// Doubles each `%` without an operand number behind it in the templates of `asm` statements with operands. (Without
/// operands nothing is substituted, and clang takes a `%` as it is.)
fn escape_percents(source: &[u8]) -> Vec<u8> {
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

fn is_word(b: u8) -> bool { b.is_ascii_alphanumeric() || b == b'_' }

/// Behind the comment, string or character that begins at `at`; `at` itself where none does.
fn skip_text(s: &[u8], at: usize) -> usize {
    let find = |needle: &[u8], from: usize| {
        s[from.min(s.len())..].windows(needle.len()).position(|w| w == needle).map_or(s.len(), |p| from + p + needle.len())
    };
    match s[at..] {
        [b'/', b'/', ..] => find(b"\n", at),
        [b'/', b'*', ..] => find(b"*/", at + 2),
        [quote @ (b'"' | b'\''), ..] => {
            let mut i = at + 1;
            while i < s.len() && s[i] != quote && s[i] != b'\n' { i += if s[i] == b'\\' { 2 } else { 1 }; }
            (i + 1).min(s.len())
        }
        _ => at,
    }
}

/// The position behind the opening parenthesis of an `asm` statement that begins at `at`.
fn asm_statement(s: &[u8], at: usize) -> Option<usize> {
    let word = |from: usize| from + s[from..].iter().take_while(|b| is_word(**b)).count();
    let blanks = |from: usize| from + s[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let end = word(at);
    if !matches!(&s[at..end], b"asm" | b"__asm__" | b"__asm") { return None; }
    let mut i = blanks(end);
    while matches!(&s[i..word(i)], b"volatile" | b"__volatile__" | b"inline" | b"__inline__") { i = blanks(word(i)); }
    (s.get(i) == Some(&b'(')).then_some(i + 1)
}

/// Copies the template behind an opening parenthesis, escaped where a colon ends it; returns where it ends.
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
                Some(b'%') => { out.push(b'%'); i += 1; }
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

    fn escaped(s: &str) -> String { String::from_utf8(escape_percents(s.as_bytes())).unwrap() }

    #[test]
    fn registers_in_templates_with_operands_are_escaped() {
        assert_eq!(escaped(r#"asm("mov %0, %tid.x; %%r" : "=r"(a % b));"#), r#"asm("mov %0, %%tid.x; %%r" : "=r"(a % b));"#);
        assert_eq!(
            escaped("asm volatile (\".reg .pred %p<5>;\"\n \"x %1;\" /* % */ :: \"r\"(n));"),
            "asm volatile (\".reg .pred %%p<5>;\"\n \"x %1;\" /* %% */ :: \"r\"(n));"
        );
    }

    #[test]
    fn everything_else_stays() {
        for s in [
            r#"asm("mov x, %tid.x;");"#, r#"printf("%d : %s", a % b);"#, "// asm(\"%x\" : )\nint my_asm(int);",
            r#"const char *s = "asm(\"%x\" :)";"#, "int a = b % c;", "'", "asm", "\"open",
        ] {
            assert_eq!(escaped(s), s);
        }
    }
}
