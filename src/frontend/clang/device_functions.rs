//! Functions of the device whose address the host takes: `op_t f = twice;`, as programs do that hand it to a kernel. nvcc gives the address of a
//! function that does nothing on the host; clang refuses it.
//!
//! In: what clang said, a source. Out: the source with a declaration for the host before each such function, which nothing defines: to the
//! analysis a function that is not known.

use super::source_overlay::{is_word, parenthesis, place, skip_text};
use std::collections::BTreeSet;
use std::path::PathBuf;

const DEVICE: &str = "__device__";

/// Where a function's name is declared: line and column, from one.
pub(super) type Mentioned = (usize, usize);

/// The functions that clang refuses to the host, by where it says that they are declared (clang/Basic/DiagnosticSemaKinds.td, `err_ref_bad_target`
/// and its note, LLVM 22).
pub(super) fn mentioned(stderr: &str) -> Vec<(PathBuf, Mentioned)> {
    let mut found = vec![];
    let mut name: Option<&str> = None;
    for line in stderr.lines() {
        if let Some((_, rest)) = line.split_once(" error: reference to __device__ function '") {
            name = rest.split_once("' in ").map(|(name, _)| name);
        } else if let Some((about, _)) =
            name.and_then(|name| line.split_once(&format!(" note: '{name}' declared here")))
        {
            if let Some((file, line, column)) = place(&format!("{about}:")) {
                found.push((file.to_owned(), (line, column)));
            }
            name = None;
        }
    }
    found
}

/// Lines keep their numbers. A function that macros write, or whose declaration is not plain, stays as it is.
pub(super) fn declared_for_the_host(source: &[u8], functions: &BTreeSet<Mentioned>) -> Vec<u8> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(source.iter().enumerate().filter(|b| *b.1 == b'\n').map(|b| b.0 + 1)).collect();
    let mut out = vec![];
    let mut copied = 0;
    for (line, column) in functions {
        let at = starts.get(line.wrapping_sub(1)).map(|s| s + column.saturating_sub(1)).filter(|at| *at < source.len());
        let Some((start, text)) = at.and_then(|at| declaration(source, at)).filter(|(start, _)| *start >= copied)
        else {
            continue;
        };
        out.extend_from_slice(&source[copied..start]);
        out.extend_from_slice(&text);
        copied = start;
    }
    out.extend_from_slice(&source[copied..]);
    out
}

/// The declaration, for the host, of the function whose name stands at `at`; with the position where its own begins.
fn declaration(source: &[u8], at: usize) -> Option<(usize, Vec<u8>)> {
    let start = begin(source, at);
    let name_end = at + source[at..].iter().take_while(|b| is_word(**b)).count();
    let open = name_end + source[name_end..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    // Behind `A::` it is a definition of what a class declares.
    if source.get(open) != Some(&b'(') || source[..at].trim_ascii_end().ends_with(b"::") {
        return None;
    }
    let close = open + 1 + parenthesis(&source[open + 1..])?;
    let end = close + source[close..].iter().position(|b| matches!(b, b'{' | b';'))?;
    let words = words(&source[start..end])?;
    let is = |word: &str| words.iter().any(|w| w == word);
    let deduced = is("auto") && !words.windows(2).any(|w| w == ["-", ">"]);
    // `= default` and the like.
    if !is(DEVICE) || deduced || source[close..end].contains(&b'=') {
        return None;
    }
    let host: Vec<&str> =
        words.iter().map(String::as_str).filter(|w| !matches!(*w, DEVICE | "constexpr" | "__host__")).collect();
    let mut text = String::new();
    for pair in host.windows(2) {
        text.push_str(pair[0]);
        if is_word(pair[0].as_bytes()[0]) && is_word(pair[1].as_bytes()[0]) {
            text.push(' ');
        }
    }
    text.push_str(host.last()?);
    Some((start, format!("{text};").into_bytes()))
}

/// Where the declaration begins that reaches to `at`: behind the last end of another, of a block, or of a directive.
fn begin(source: &[u8], at: usize) -> usize {
    let (mut i, mut start, mut line_begins) = (0, 0, true);
    while i < at {
        let skipped = skip_text(source, i);
        if skipped > i {
            line_begins = source[i] == b'/' && source.get(i + 1) == Some(&b'/');
            i = skipped;
            continue;
        }
        if source[i] == b'#' && line_begins {
            while i < at && (source[i] != b'\n' || source[i - 1] == b'\\') {
                i += 1;
            }
            start = i;
            continue;
        }
        if matches!(source[i], b';' | b'{' | b'}') {
            start = i + 1;
        }
        line_begins = source[i] == b'\n' || line_begins && source[i].is_ascii_whitespace();
        i += 1;
    }
    start
}

/// The words and signs of a declaration, without comments; `None` where it has texts or directives.
fn words(s: &[u8]) -> Option<Vec<String>> {
    let mut words = vec![];
    let mut i = 0;
    while i < s.len() {
        let skipped = skip_text(s, i);
        if skipped > i {
            if s[i] != b'/' {
                return None;
            }
            i = skipped;
            continue;
        }
        if s[i] == b'#' {
            return None;
        }
        if s[i].is_ascii_whitespace() {
            i += 1;
            continue;
        }
        let end = (i + s[i..].iter().take_while(|b| is_word(**b)).count()).max(i + 1);
        words.push(String::from_utf8(s[i..end].to_vec()).ok()?);
        i = end;
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::{declared_for_the_host, mentioned};

    #[test]
    fn the_declarations_that_clang_speaks_of_are_found() {
        let text = "a.cu:9:12: error: reference to __device__ function 'twice' in __host__ function\nsub/b.h:3:18: note: 'twice' declared here\n\
                    a.cu:9:12: error: no such thing\nsub/b.h:4:18: note: 'twice' declared here\n";
        assert_eq!(mentioned(text), [("sub/b.h".into(), (3, 18))]);
    }

    fn declared(s: &str, name: &str) -> String {
        let at = s.find(name).unwrap();
        let line = s[..at].matches('\n').count() + 1;
        let column = at - s[..at].rfind('\n').map_or(0, |n| n + 1) + 1;
        String::from_utf8(declared_for_the_host(s.as_bytes(), &[(line, column)].into())).unwrap()
    }

    #[test]
    fn a_function_gets_a_declaration_for_the_host_on_its_own_lines() {
        assert_eq!(
            declared(
                "int a; // ;\n__device__ __forceinline__ float\ntwice(float x /* } */) { return 2 * x; }",
                "twice"
            ),
            "int a;__forceinline__ float twice(float x); // ;\n__device__ __forceinline__ float\ntwice(float x /* } */) { return 2 * x; }"
        );
        assert_eq!(
            declared("#define A \\\n {\ntemplate <class T> __device__ T f(const T *p = 0) {", "f("),
            "#define A \\\n {template<class T>T f(const T*p=0);\ntemplate <class T> __device__ T f(const T *p = 0) {"
        );
        assert_eq!(
            declared("struct S { public: static __device__ auto f(int) -> int; };", "f("),
            "struct S { public:static auto f(int)->int; public: static __device__ auto f(int) -> int; };"
                .replace("{ public:s", "{public:s")
        );
    }

    #[test]
    fn what_is_not_plain_stays() {
        for (s, name) in [
            ("DEVICE float f(float x) { return x; }", "f(float"),
            ("__device__ float A::f(float x) { return x; }", "f(float"),
            ("__device__ auto f(float x) { return x; }", "f(float"),
            ("extern \"C\" __device__ float f(float);", "f(float"),
            ("__device__ float (*f)(float);", "f)"),
            ("struct S { __device__ S(int) = default; };", "S(int"),
            ("__device__ float f", "f"),
        ] {
            assert_eq!(declared(s, name), s, "{s}");
        }
    }
}
