//! Turns the missing check of an operator into an edit of its source.
//!
//! In: the missing check, the position of the function's definition, its source. Out: the position of the insertion,
//! and its text; nothing if the start of the function's body cannot be found in the text.

use base::rules::Rule;
use finding::sources::SourceFiles;
use finding::{Finding, Fix, MissingCheck, Position};

/// Adds edits to findings with a missing check. Positions are as reports show them.
pub(super) fn add(findings: &mut [Finding], sources: &SourceFiles) {
    for f in findings {
        // A check of alignment may refuse calls that another path would serve.
        f.fix = f.missing_check.as_ref().filter(|_| f.rule != Rule::Misaligned).and_then(|m| edit(m, sources));
    }
}

fn edit(missing: &MissingCheck, sources: &SourceFiles) -> Option<Fix> {
    let statements = missing.statements()?;
    let at = &missing.function;
    let text = sources.text(&at.file)?;
    let from: usize =
        text.split_inclusive('\n').take(usize::try_from(at.line).ok()?.checked_sub(1)?).map(str::len).sum();
    let open = from + body(text.get(from..)?)?;
    let (before, after) = (text.get(..=open)?, text.get(open + 1..)?);
    let line = u32::try_from(before.matches('\n').count() + 1).ok()?;
    let last = before.rsplit('\n').next().unwrap_or(before);
    let column = u32::try_from(last.chars().count() + 1).ok()?;
    let indented = after.lines().skip(1).find(|l| !l.trim().is_empty());
    let indent = indented.map(|l| &l[..l.len() - l.trim_start().len()]).filter(|i| !i.is_empty()).unwrap_or("  ");
    let text = statements.iter().map(|statement| format!("\n{indent}{statement}")).collect();
    Some(Fix { position: Position { file: at.file.clone(), line, column }, text })
}

/// Returns the offset of the opening brace of a function's body, for a text that begins on the line of the
/// function's name or of the lambda's parameters: after the parameters, and not of an initialiser.
fn body(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut i, mut last, mut parameters) = (0, b' ', false);
    while let Some(&c) = bytes.get(i) {
        match c {
            b'/' if bytes.get(i + 1) == Some(&b'/') => i += text[i..].find('\n')?,
            b'/' if bytes.get(i + 1) == Some(&b'*') => i += text[i..].find("*/")? + 1,
            b'"' | b'\'' => {
                let quote = c;
                i += 1;
                while *bytes.get(i)? != quote {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                last = quote;
            }
            b'{' if parameters && !matches!(last, b'=' | b',' | b'(') => return Some(i),
            // A declaration has no body.
            b';' => return None,
            _ => {
                parameters |= c == b')';
                if !c.is_ascii_whitespace() {
                    last = c;
                }
            }
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn a_body_begins_behind_the_parameters() {
        for text in [
            "f(int a, std::vector<int> v = {1, 2}) {",
            "f(int a /* {) */,\n  // {)\n  char c = '{') const {",
            "m.def(\"f{\", [](at::Tensor x) -> at::Tensor {",
        ] {
            assert_eq!(body(text), Some(text.len() - 1), "{text}");
        }
        assert_eq!(body("f(int a);\nint g() {"), None);
        assert_eq!(body("f(int a)"), None);
    }
}
