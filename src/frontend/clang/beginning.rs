//! Headers of the system, the toolkit and other foreign trees that a source includes before any code.
//!
//! In: a source, the folders of its flags. Out: the names of such headers in their order, each with the macros that
//! directives before it define. A header of the project's is followed as long as it has no code either. Any directive
//! that is not understood for certain ends the list, and so does a condition that an include depends on.

use super::lead;
use std::path::{Component, Path, PathBuf};

/// Largest number of headers: a precompiled header covers the first ones only.
const MAX: usize = 16;
/// Largest depth of the project's headers in each other.
const DEPTH: usize = 16;

/// A folder of the user's flags, in which clang searches for headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchedFolder {
    /// Absolute path.
    pub path: PathBuf,
    /// Whether its headers are not the project's.
    pub foreign: bool,
}

/// A header that a source begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeadingName {
    /// Name as in `#include <…>`.
    pub name: String,
    /// Whether it lies in a foreign folder of the flags; else in one that every unit searches.
    pub foreign: bool,
    /// Number of the macros that come before it.
    before: usize,
}

/// Headers that a source begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Beginning {
    pub headers: Vec<LeadingName>,
    /// Macros that directives define or undefine, in any branch of a condition.
    macros: Vec<String>,
}

impl Beginning {
    /// Reads a source. `folders` are those of its flags, in the order in which they are searched.
    pub fn of(source: &Path, directory: &Path, folders: &[SearchedFolder]) -> Self {
        let mut scan = Scan { folders, found: Self::default(), open: vec![] };
        scan.file(&directory.join(source));
        scan.found
    }

    /// Returns the macros that come before the end of the first `n` headers.
    pub fn macros_before(&self, n: usize) -> &[String] {
        n.checked_sub(1).map_or(&[], |last| &self.macros[..self.headers[last].before])
    }

    /// Returns the names of the first `n` headers.
    pub fn names(&self, n: usize) -> Vec<String> {
        self.headers[..n].iter().map(|h| h.name.clone()).collect()
    }

    /// Returns the number of headers before the first foreign one.
    pub fn common(&self) -> usize {
        self.headers.iter().position(|h| h.foreign).unwrap_or(self.headers.len())
    }
}

/// Scan of a source and the headers of the project's that it includes.
struct Scan<'a> {
    folders: &'a [SearchedFolder],
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
        let beside = quoted.and(from.parent()).map(|p| p.join(name)).filter(|p| p.is_file());
        if let Some(own) = beside {
            return self.file(&own);
        }
        let foreign = match self.folders.iter().map(|f| (f, f.path.join(name))).find(|(_, p)| p.is_file()) {
            Some((folder, path)) if !folder.foreign => return self.file(&path),
            // The source includes it once more.
            Some((_, path)) if !is_plain(name) || !guards_itself(&path) => return false,
            found => found.is_some(),
        };
        if Path::new(name).is_absolute() || name.contains(['\\', '\n', '"']) {
            return false;
        }
        if !self.found.headers.iter().any(|h| h.name == name) {
            let before = self.found.macros.len();
            self.found.headers.push(LeadingName { name: name.to_owned(), foreign, before });
        }
        true
    }
}

/// Whether a name leads only into folders below the searched one.
fn is_plain(name: &str) -> bool {
    Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}

/// Whether a header begins with `#pragma once` or with a guard.
fn guards_itself(header: &Path) -> bool {
    let Ok(text) = std::fs::read(header) else { return false };
    let (directives, _) = lead::directives(&String::from_utf8_lossy(&text));
    guard(&directives) || directives.iter().any(|d| split(d) == ("pragma", "once"))
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
    let defined = defined.split(char::is_whitespace).next().unwrap_or_default();
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
        let searched = |name: &str, foreign| SearchedFolder { path: folder.path().join(name), foreign };
        let found =
            Beginning::of(Path::new("a.cu"), folder.path(), &[searched("inc", false), searched("foreign", true)]);
        let macros = found.macros_before(found.headers.len()).to_vec();
        let names = found.headers.iter().map(|h| format!("{}{}", if h.foreign { "+" } else { "" }, h.name));
        (names.collect(), macros)
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
        let found = Beginning::of(Path::new("a.cu"), folder.path(), &[]);
        assert_eq!((found.macros_before(0), found.macros_before(1)), (&[][..], &[][..]));
        assert_eq!((found.macros_before(2), found.common()), (&["N".to_owned()][..], 2));
    }

    #[test]
    fn foreign_headers_are_named_and_not_followed() {
        let once = "// c\n#pragma once\n#include <d>\n";
        let files = |text: &str| {
            beginning(&[
                ("a.cu", text),
                ("foreign/t/once.h", once),
                ("foreign/t/guard.h", "#ifndef G // g\n#define G 1\nint g;\n#endif\n"),
                ("foreign/t/twice.h", "int x;\n"),
                ("foreign/both.h", once),
                ("inc/both.h", "#include <e>\n"),
                ("foreign/vector", once),
            ])
            .0
        };
        for (text, headers) in [
            ("#include <a>\n#include <t/once.h>\n#include \"t/guard.h\"\n", &["a", "+t/once.h", "+t/guard.h"][..]),
            ("#include <t/once.h>\n#include <t/twice.h>\n#include <a>\n", &["+t/once.h"]),
            ("#include <both.h>\n#include <t/../t/once.h>\n#include <a>\n", &["e"]),
            ("#include <vector>\n#include <a>\n", &["+vector", "a"]),
        ] {
            assert_eq!(files(text), headers, "{text}");
        }
    }
}
