//! Bodies of templates on the device side. nvcc 13.5 looks at such a body there only as it instantiates it,
//! so that `#ifdef __CUDA_ARCH__` may hide mistakes from it (Eigen 3.4: `using ::arg;`). clang looks up the
//! names that depend on no parameter as it reads the template.
//!
//! In: clang's messages, a source. Out: the source with the bodies of these functions removed. Where device code calls
//! one all the same, it calls an unknown function.

use super::kernel_bodies::directive_end;
use super::positions::{SourcePosition, offset, place};
use super::source_overlay::{is_word, skip_text};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Words that may stand between the parameters of a function and its body.
const QUALIFIERS: [&[u8]; 4] = [b"const", b"noexcept", b"override", b"final"];

/// Returns the positions of errors that no instantiation led to.
pub(super) fn uninstantiated(stderr: &str) -> Vec<(PathBuf, SourcePosition)> {
    let mut found: Vec<(PathBuf, SourcePosition)> = vec![];
    let mut is_new = false;
    for line in stderr.lines() {
        if line.contains(" error: ") {
            let here = place(line).map(|(file, line, column)| (file.to_owned(), (line, column)));
            is_new = here.is_some();
            found.extend(here);
        } else if is_new && line.contains(" note: in instantiation of ") {
            found.pop();
            is_new = false;
        }
    }
    found
}

/// A block of a source, and what its declaration says.
#[derive(Clone, Copy)]
struct DeclaredBlock {
    open: usize,
    is_function: bool,
    /// Whether it, or what it stands in, is a template.
    is_template: bool,
    /// Number of open conditions where it begins.
    conditions: usize,
}

/// Removes the bodies of function templates, and of functions of class templates, at these positions. Line numbers and
/// directives do not change.
pub(super) fn removed(source: &[u8], places: &BTreeSet<SourcePosition>) -> Vec<u8> {
    let mut out = source.to_vec();
    let places: Vec<usize> = places.iter().filter_map(|p| offset(source, *p)).collect();
    for (open, close) in if places.is_empty() { vec![] } else { functions(source) } {
        if !places.iter().any(|at| (open..close).contains(at)) {
            continue;
        }
        let mut i = open;
        while i <= close {
            let line = source[..i].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
            if source[i] == b'#' && source[line..i].trim_ascii().is_empty() {
                i = directive_end(source, i);
                continue;
            }
            if source[i] != b'\n' {
                out[i] = b' ';
            }
            i += 1;
        }
        out[open] = b';';
    }
    out
}

/// Returns the braces of the bodies of template functions. Where the branches of a condition open different blocks,
/// there are none behind it.
fn functions(s: &[u8]) -> Vec<(usize, usize)> {
    let (mut open, mut found): (Vec<DeclaredBlock>, Vec<_>) = (vec![], vec![]);
    let mut conditions: Vec<usize> = vec![];
    let (mut is_template, mut has_colon, mut parentheses, mut last, mut i) = (false, false, 0_usize, 0..0, 0);
    while i < s.len() {
        let skipped = skip_text(s, i);
        let line_begins = || s[..i].iter().rev().take_while(|b| **b != b'\n').all(u8::is_ascii_whitespace);
        if skipped > i {
            i = skipped;
            continue;
        }
        if s[i] == b'#' && line_begins() {
            let end = directive_end(s, i);
            let text = s[i + 1..end].trim_ascii_start();
            if text.starts_with(b"if") {
                conditions.push(open.len());
            } else if text.starts_with(b"el") && conditions.last() != Some(&open.len())
                || text.starts_with(b"endif") && conditions.pop() != Some(open.len())
            {
                return found;
            }
            i = end;
            continue;
        }
        let end = i + s[i..].iter().take_while(|b| is_word(**b)).count().max(1);
        let token = &s[i..end];
        match token {
            b"template" => is_template = true,
            b"(" => parentheses += 1,
            b")" => parentheses = parentheses.saturating_sub(1),
            b":" if parentheses == 0 => has_colon |= s.get(end) != Some(&b':') && &s[last.clone()] != b":",
            b"{" => {
                let before = &s[last.clone()];
                let is_function = parentheses == 0 && !has_colon && (before == b")" || QUALIFIERS.contains(&before));
                let outer = open.last().copied();
                open.push(DeclaredBlock {
                    open: i,
                    is_function: is_function && !open.iter().any(|b| b.is_function),
                    is_template: is_template || outer.is_some_and(|b| b.is_template),
                    conditions: conditions.len(),
                });
            }
            b"}" => match open.pop() {
                Some(b) if b.is_function && b.is_template && b.conditions == conditions.len() => {
                    found.push((b.open, i));
                }
                Some(_) => {}
                None => return found,
            },
            _ => {}
        }
        // `public:` begins a declaration; the colon of a constructor's initialisers follows a parenthesis.
        let label = token == b":" && &s[last.clone()] != b")";
        if matches!(token, b";" | b"{" | b"}") || label && parentheses == 0 && !is_template {
            (is_template, has_colon, parentheses) = (false, false, 0);
        }
        if !token[0].is_ascii_whitespace() {
            last = i..end;
        }
        i = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{removed, uninstantiated};

    #[test]
    fn errors_of_instantiations_are_not_listed() {
        let text = "a.h:4:3: error: no member named 'f' in the global namespace\na.h:5:1: note: declared here\n\
                    a.h:6:3: error: no matching function for call to 'f'\n\
                    a.h:9:5: note: in instantiation of function template specialization 'g<int>' requested here\n";
        assert_eq!(uninstantiated(text), [("a.h".into(), (4, 3))]);
    }

    /// Returns the source without the bodies that contain `@`; what was removed is one blank wide.
    fn with(s: &str) -> String {
        let places = s.match_indices('@').map(|(at, _)| {
            let before = &s[..at];
            (before.matches('\n').count() + 1, at - before.rfind('\n').map_or(0, |n| n + 1) + 1)
        });
        let out = String::from_utf8(removed(s.as_bytes(), &places.collect())).unwrap();
        assert_eq!((out.len(), out.matches('\n').count()), (s.len(), s.matches('\n').count()), "places are kept");
        let words: Vec<&str> = out.split(' ').filter(|w| !w.is_empty()).collect();
        words.join(" ")
    }

    #[test]
    fn bodies_of_templates_are_removed() {
        assert_eq!(
            with("namespace n { template <class T> T f(T x) { if (x) { @ } return g(\"}\"); } int h() { } }"),
            "namespace n { template <class T> T f(T x) ; int h() { } }"
        );
        assert_eq!(
            with("template <class T> struct A : B<T> { public: int f(A::C x) const { return @; } int b; };"),
            "template <class T> struct A : B<T> { public: int f(A::C x) const ; int b; };"
        );
        assert_eq!(
            with("template <class T> int f() {\n#ifdef A\n @\n#else\n 1 }\n#endif"),
            "template <class T> int f() {\n#ifdef A\n @\n#else\n 1 }\n#endif"
        );
        assert_eq!(
            with("template <class T> int f()\n{\n#ifdef A // }\n @\n#endif\n}"),
            "template <class T> int f()\n;\n#ifdef A // }\n \n#endif\n"
        );
    }

    #[test]
    fn other_bodies_stay() {
        for s in [
            "int f() { @ }",
            "struct A { int f() { @ } };",
            "template <class T> struct A { int a; A() : a(1) { @ } };",
            "template <class T> struct A { int a = f({ @ }); };",
            "template <class T> int a = T{ @ };",
        ] {
            assert_eq!(with(s), s);
        }
    }
}
