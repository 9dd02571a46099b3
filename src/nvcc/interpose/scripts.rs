//! Linker scripts in place of an object or a library.
//!
//! In: an input of a link, the folders of `-L`. Out: the files that it names if it is a script (GNU ld's manual,
//! "Implicit Linker Scripts": the linker reads a file that is no object as a script, with `INPUT` and `GROUP`); else
//! the input itself.

use super::links::find_library;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum depth of scripts that name scripts; beyond it, a script stands for itself.
const DEEPEST: u8 = 8;
/// Maximum bytes of a script: scripts are short.
const LONGEST: u64 = 64 << 10;

/// Returns the files that an input stands for.
pub fn expanded(input: PathBuf, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    add(input, folders, DEEPEST, &mut found);
    found
}

fn add(input: PathBuf, folders: &[PathBuf], deeper: u8, found: &mut Vec<PathBuf>) {
    let Some(text) = text(&input).filter(|_| deeper > 0) else { return found.push(input) };
    let beside = input.parent().unwrap_or(Path::new("/"));
    let names = names(&text);
    if names.is_empty() {
        return found.push(input);
    }
    for name in names {
        let file = match name.strip_prefix("-l") {
            Some(library) => find_library(OsStr::new(library), false, folders),
            // The folder of the script, then those of `-L`.
            None => std::iter::once(beside)
                .chain(folders.iter().map(PathBuf::as_path))
                .map(|folder| folder.join(&name))
                .find(|file| file.is_file()),
        };
        if let Some(file) = file {
            add(file.canonicalize().unwrap_or(file), folders, deeper - 1, found);
        }
    }
}

/// Reads a file that may be a script; `None` for objects, archives and large files.
fn text(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut start = [0; 4];
    file.read_exact(&mut start).ok()?;
    if start == *b"\x7fELF" || start.starts_with(b"!<") || file.metadata().ok()?.len() > LONGEST {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// Returns the names in `INPUT(…)` and `GROUP(…)`, including those in `AS_NEEDED(…)`.
fn names(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let spaced = plain.replace('(', " ( ").replace(')', " ) ").replace([',', '"'], " ");
    let (mut all, mut depth, mut command) = (Vec::new(), 0_usize, "");
    for word in spaced.split_whitespace() {
        match word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "AS_NEEDED" => {}
            word if depth == 0 => command = word,
            word if matches!(command, "INPUT" | "GROUP") => all.push(word.to_owned()),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{expanded, names};

    #[test]
    fn names_stand_in_input_and_group() {
        let libc = "/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libc.so.6 libc_nonshared.a AS_NEEDED ( /lib64/ld.so ) )";
        assert_eq!(names(libc), ["/lib/libc.so.6", "libc_nonshared.a", "/lib64/ld.so"]);
        assert_eq!(names("INPUT(a.o, -lb \"c d\")"), ["a.o", "-lb", "c", "d"]);
        assert_eq!(names("{ global: *; };"), Vec::<String>::new());
    }

    #[test]
    fn a_script_stands_for_what_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
        write("libreal.a", "!<arch>\n");
        write("a.o", "\x7fELF INPUT(libreal.a)");
        write("libx.so", "GROUP ( libreal.a nowhere.a )");
        write("liby.so", "INPUT ( -lx a.o )");
        write("self.so", "INPUT ( self.so )");
        let of = |name: &str| expanded(root.join(name), std::slice::from_ref(&root));
        assert_eq!(of("liby.so"), ["libreal.a", "a.o"].map(|n| root.join(n)));
        assert_eq!(of("a.o"), [root.join("a.o")]);
        assert_eq!(of("self.so"), [root.join("self.so")]);
        assert_eq!(of("none.so"), [root.join("none.so")]);
    }
}
