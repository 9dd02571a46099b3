//! The leading includes of a source, which editors precompile ("preamble": clang's `PrecompiledPreamble`, clangd).
//!
//! In: the text of a source. Out: the number of leading bytes that are only directives and comments, up to the last
//! `#include` among them. clang skips these bytes where a precompiled header replaces them (`-preamble-bytes`). Any
//! text that is not understood for certain ends the block.

use std::path::{Path, PathBuf};

/// The leading includes of a source, and the path of that source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeadingIncludes {
    pub text: String,
    pub source: PathBuf,
}

impl LeadingIncludes {
    /// Reads the leading includes of a source; `None` if there are none, or if its name cannot be written in a `#line`.
    pub fn of(source: &Path, directory: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(directory.join(source)).ok()?;
        let name = source.to_str()?;
        let lead = &text[..length(&text)];
        (!lead.is_empty() && !name.contains(['"', '\\', '\n']))
            .then(|| Self { text: lead.to_owned(), source: source.to_owned() })
    }

    /// Returns the block as a source of its own. Its includes are searched relative to the original's folder:
    /// [`Self::folder`].
    pub fn as_source(&self) -> String {
        format!("#line 1 \"{}\"\n{}", self.source.display(), self.text)
    }

    /// Returns the source's folder in the form that clang prefixes to names of included files.
    pub fn folder(&self) -> &Path {
        self.source.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

/// A directive without comments, `#` and blanks before its word, and the offset of the end of its last line.
struct LeadingDirective {
    code: String,
    end: usize,
    /// Whether a line end follows it in the text.
    ended: bool,
}

/// Iterator over the directives before any code.
struct LeadingDirectives<'t> {
    text: &'t str,
    at: usize,
    in_comment: bool,
    /// Whether the whole text was read: nothing in it was code, or not understood.
    whole: bool,
}

impl<'t> LeadingDirectives<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, at: 0, in_comment: false, whole: false }
    }
}

impl Iterator for LeadingDirectives<'_> {
    type Item = LeadingDirective;

    fn next(&mut self) -> Option<LeadingDirective> {
        loop {
            let mut lines = self.text[self.at..].split_inclusive('\n');
            let Some(first) = lines.next() else {
                self.whole = !self.in_comment;
                return None;
            };
            let mut end = self.at + first.len();
            // A line that is continued on the next one.
            let mut line = first.trim_end().to_owned();
            while line.ends_with('\\') {
                let next = lines.next()?;
                end += next.len();
                line.pop();
                line.push(' ');
                line.push_str(next.trim_end());
            }
            let code = without_comments(&line, &mut self.in_comment)?;
            let code = code.trim();
            if self.in_comment && !code.is_empty() {
                return None;
            }
            self.at = end;
            if !code.is_empty() {
                let code = code.strip_prefix('#')?.trim_start().to_owned();
                return Some(LeadingDirective { code, end, ended: first.ends_with('\n') });
            }
        }
    }
}

/// Returns the directives before any code, and whether they are all that there is.
pub(super) fn directives(text: &str) -> (Vec<String>, bool) {
    let mut all = LeadingDirectives::of(text);
    let found = all.by_ref().map(|d| d.code).collect();
    (found, all.whole)
}

/// Returns the number of bytes up to the end of the last `#include`, or of the last conditional block with one.
fn length(text: &str) -> usize {
    let mut end = 0;
    let (mut open, mut includes) = (0usize, false);
    for directive in LeadingDirectives::of(text) {
        let word = directive.code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        match word {
            "include" => includes = true,
            "define" | "undef" => {}
            "elif" | "else" if open > 0 => {}
            "if" | "ifdef" | "ifndef" => open += 1,
            "endif" if open > 0 => open -= 1,
            _ => return end,
        }
        if open == 0 {
            if includes && matches!(word, "include" | "endif") && directive.ended {
                end = directive.end;
            }
            includes = false;
        }
    }
    end
}

/// Strips comments from a line; `None` if a literal in it does not end.
fn without_comments(line: &str, in_comment: &mut bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else { return Some(out) };
            *in_comment = false;
            out.push(' ');
            rest = &rest[end + 2..];
        }
        let Some(at) = rest.find(['/', '"', '\'']) else { return Some(out + rest) };
        out.push_str(&rest[..at]);
        let (mark, behind) = rest[at..].split_at(1);
        match (mark, behind.as_bytes().first()) {
            ("/", Some(b'/')) => return Some(out),
            ("/", Some(b'*')) => {
                *in_comment = true;
                rest = &behind[1..];
            }
            ("/", _) => {
                out.push('/');
                rest = behind;
            }
            _ => {
                // No relevant directive has a literal with an escape.
                let end = behind.find(mark).filter(|e| !behind[..*e].contains('\\'))?;
                out.push_str(&rest[at..at + end + 2]);
                rest = &behind[end + 1..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_behind_the_last_include() {
        for (lead, rest) in [
            ("#include <a>\n", "\nint x;\n"),
            ("// a\n/* b\n * c */\n\n#include <a>\r\n#include \"b/c.h\" // why\n", "// d\n#define N 4\nint x;\n"),
            ("#define A \\\n  1\n# include <a>\n", "void f();\n#include <b>\n"),
            ("#ifdef A\n#include <a>\n#else\n#include <b>\n#endif\n", "#ifdef B\nint x;\n#endif\n"),
            ("#include <a>\n", "#ifdef A\n#include <b>\nint x;\n#endif\n#include <c>\n"),
            ("#include <a>\n", "#pragma pack(1)\n#include <b>\n"),
            ("#include <a>\n#define TEXT \"/* \" \"*/\"\n#include <b>\n", "int x;\n"),
            ("#include <a>\n", "#define TEXT \"\\\"\"\n#include <b>\n"),
            ("#include <a> /* c */ // d\n/* #include <b>\n*/ /**/\n#include <c>\n", "int x; /*\n#include <d>\n*/\n"),
            ("", "#include <a> /* and\n*/\n"),
            ("", "int x;\n#include <a>\n"),
            ("", "// only\n#define N 1\n"),
            ("", "#include <a>"),
            ("", "#endif\n#include <a>\n"),
        ] {
            let text = format!("{lead}{rest}");
            assert_eq!(&text[..length(&text)], lead, "{text}");
        }
    }
}
