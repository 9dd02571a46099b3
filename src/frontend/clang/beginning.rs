//! Headers of the system and the toolkit that a source includes before any code.
//!
//! In: a source, the folders of its flags. Out: the names of such headers in their order, each with the macros that
//! directives before it define. A header of the user's is followed as long as it has no code either. Any directive that
//! is not understood for certain ends the list, and so does a condition that an include depends on.

use super::lead;
use std::path::{Path, PathBuf};

/// Largest number of headers: a precompiled header covers the first ones only.
const MAX: usize = 16;
/// Largest depth of the user's headers in each other.
const DEPTH: usize = 16;

/// Headers that a source begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Beginning {
    /// Names as in `#include <…>`.
    pub headers: Vec<String>,
    /// Macros that directives define or undefine, in any branch of a condition.
    macros: Vec<String>,
    /// Number of the macros that come before each header.
    before: Vec<usize>,
}

impl Beginning {
    /// Reads a source. `folders` are those of its flags, in the order in which they are searched.
    pub fn of(source: &Path, directory: &Path, folders: &[PathBuf]) -> Self {
        let mut scan = Scan { folders, found: Self::default(), open: vec![] };
        scan.file(&directory.join(source));
        scan.found
    }

    /// Returns the macros that come before the end of the first `n` headers.
    pub fn macros_before(&self, n: usize) -> &[String] {
        n.checked_sub(1).map_or(&[], |last| &self.macros[..self.before[last]])
    }

    /// Keeps the headers for which `keep` holds.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        let kept: Vec<bool> = self.headers.iter().map(|h| keep(h)).collect();
        let mut each = kept.iter();
        self.headers.retain(|_| each.next().copied().unwrap_or(true));
        let mut each = kept.iter();
        self.before.retain(|_| each.next().copied().unwrap_or(true));
    }
}

/// Scan of a source and the headers of the user's that it includes.
struct Scan<'a> {
    folders: &'a [PathBuf],
    found: Beginning,
    /// Files that are being read, or were.
    open: Vec<PathBuf>,
}

impl Scan<'_> {
    /// Reads a file; returns whether nothing but directives was in it, all of them understood.
    fn file(&mut self, path: &Path) -> bool {
        if self.open.iter().any(|p| p == path) {
            return true;
        }
        if self.open.len() > DEPTH {
            return false;
        }
        self.open.push(path.to_owned());
        let Ok(text) = std::fs::read_to_string(path) else { return false };
        let (directives, whole) = lead::directives(&text);
        let guard = guard(&directives);
        // Depth of conditions other than the guard of the whole file.
        let mut depth = 0_usize;
        for (i, directive) in directives.iter().enumerate() {
            let (word, rest) = split(directive);
            match word {
                "define" | "undef" => {
                    let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
                    self.found.macros.push(name.to_owned());
                }
                "pragma" if rest == "once" => {}
                "" => {}
                "if" | "ifdef" | "ifndef" if i == 0 && guard => {}
                "if" | "ifdef" | "ifndef" => depth += 1,
                "elif" | "else" | "error" | "warning" if depth > 0 => {}
                // The end of the guard.
                "endif" if depth == 0 && guard => {}
                "endif" if depth > 0 => depth -= 1,
                "include" if depth == 0 && self.found.headers.len() < MAX => {
                    if !self.include(rest, path) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        whole && depth == 0
    }

    /// Follows an `#include`; returns whether what comes after it is still before any code.
    fn include(&mut self, name: &str, from: &Path) -> bool {
        let quoted = name.strip_prefix('"').and_then(|n| n.strip_suffix('"'));
        let Some(name) = quoted.or_else(|| name.strip_prefix('<').and_then(|n| n.strip_suffix('>'))) else {
            return false;
        };
        let beside = quoted.and(from.parent()).map(|p| p.join(name));
        let in_folders = self.folders.iter().map(|f| f.join(name));
        if let Some(own) = beside.into_iter().chain(in_folders).find(|p| p.is_file()) {
            return self.file(&own);
        }
        if Path::new(name).is_absolute() || name.contains(['\\', '\n', '"']) {
            return false;
        }
        if !self.found.headers.iter().any(|h| h == name) {
            self.found.headers.push(name.to_owned());
            self.found.before.push(self.found.macros.len());
        }
        true
    }
}

/// Splits a directive into its word and the rest.
fn split(directive: &str) -> (&str, &str) {
    let end = directive.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(directive.len());
    (&directive[..end], directive[end..].trim())
}

/// Whether a file begins with a guard against being included twice: `#ifndef NAME`, `#define NAME`.
fn guard(directives: &[String]) -> bool {
    let [first, second, ..] = directives else { return false };
    let (word, name) = split(first);
    let (next, defined) = split(second);
    word == "ifndef" && next == "define" && name == defined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = Beginning::of(Path::new("a.cu"), folder.path(), &[folder.path().join("inc")]);
        let macros = found.macros_before(found.headers.len()).to_vec();
        (found.headers, macros)
    }

    #[test]
    fn what_comes_before_any_code_counts() {
        for (text, headers) in [
            ("// c\n#include <a>\n#include <b/c.h> // why\nint x;\n#include <d>\n", vec!["a", "b/c.h"]),
            ("#include <a>\n#ifdef X\n#include <b>\n#endif\n#include <c>\n", vec!["a"]),
            ("#include <a>\n#ifdef X\n#define Y 1\n#else\n#undef Z\n#endif\n#include <c>\n", vec!["a", "c"]),
            ("#include <a>\n#pragma pack(1)\n#include <c>\n", vec!["a"]),
            ("#include <a>\n#include NAME\n#include <c>\n", vec!["a"]),
            ("#include <a>\n#include \"missing.h\"\n#include <a>\n", vec!["a", "missing.h"]),
            ("#include_next <a>\n", vec![]),
            ("#include \"/usr/x.h\"\n", vec![]),
            ("#if 0\n#include <a>\n#endif\n", vec![]),
            ("/* c\n*/ #include <a>\nextern \"C\" {\n#include <b>\n}\n", vec!["a"]),
            ("#ifndef A\n#define A\n#include <a>\n#endif\n#include <b>\n", vec!["a", "b"]),
        ] {
            assert_eq!(beginning(&[("a.cu", text)]).0, headers, "{text}");
        }
    }

    #[test]
    fn headers_of_the_user_are_followed_to_their_first_code() {
        let own = "#ifndef OWN_H\n#define OWN_H\n#include <a>\n#include <in.h>\n";
        let source = "#define N 4\n#include \"own.h\"\n#include <b>\n";
        let files =
            |own: &str| beginning(&[("a.cu", source), ("own.h", own), ("inc/in.h", "#pragma once\n#include <c>\n")]);
        let (headers, macros) = files(&format!("{own}#endif\n"));
        assert_eq!((headers, macros), (vec!["a".into(), "c".into(), "b".into()], vec!["N".into(), "OWN_H".into()]));
        assert_eq!(files(&format!("{own}struct S;\n#endif\n")).0, ["a", "c"]);
    }

    #[test]
    fn macros_count_from_where_they_are_defined() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.cu"), "#include <a>\n#define N(x) x\n#include <b>\n#define M\n").unwrap();
        let mut found = Beginning::of(Path::new("a.cu"), folder.path(), &[]);
        let none: [&str; 0] = [];
        assert_eq!((found.macros_before(0), found.macros_before(1)), (&[][..], &[][..]));
        assert_eq!(found.macros_before(2), ["N"]);
        found.retain(|h| h == "b");
        assert_eq!((found.macros_before(1), found.headers.len(), none.len()), (&["N".to_owned()][..], 1, 0));
    }
}
