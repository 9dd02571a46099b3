//! Names that the files of a precompiled header mention: what a unit's macros and folders could change in it.
//!
//! In: files. Out: hashes of their identifiers, names of files in their directives.

use super::toolkit::Toolkit;
use crate::identifiers;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Names in the files of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MentionedNames {
    /// Hashes of all identifiers, ascending.
    identifiers: Vec<u64>,
    /// Names of files in directives.
    files: BTreeSet<String>,
}

impl MentionedNames {
    /// Reads files; `None` if one cannot be read, or if a directive includes a file by a macro and no other name of it
    /// is known.
    pub fn of<'f>(files: impl Iterator<Item = &'f PathBuf>) -> Option<Self> {
        let mut all: HashSet<u64> = HashSet::new();
        let mut names = BTreeSet::new();
        for file in files {
            let one = Self::of_contents(&std::fs::read(file).ok()?);
            all.extend(&one.identifiers);
            names.extend(one.files.iter().cloned());
        }
        let mut identifiers: Vec<u64> = all.into_iter().collect();
        identifiers.sort_unstable();
        Some(Self { identifiers, files: names })
    }

    /// Names in one file. The headers of both sides are made of mostly the same files.
    fn of_contents(bytes: &[u8]) -> Arc<Self> {
        static KNOWN: Mutex<BTreeMap<[u8; 32], Arc<MentionedNames>>> = Mutex::new(BTreeMap::new());
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = *blake3::hash(bytes).as_bytes();
        if let Some(names) = known().get(&key) {
            return names.clone();
        }
        let names = Arc::new(Self::of_text(&String::from_utf8_lossy(bytes)));
        known().insert(key, names.clone());
        names
    }

    pub fn of_text(text: &str) -> Self {
        let unique: HashSet<&str> = identifiers::names(text).into_iter().map(|n| n.text).collect();
        let mut identifiers: Vec<u64> = unique.into_iter().map(hash).collect();
        identifiers.sort_unstable();
        // Macros may hold names of files, too.
        let directives = text.lines().filter(|l| l.trim_start().starts_with('#'));
        Self { identifiers, files: directives.flat_map(file_names).map(str::to_owned).collect() }
    }

    /// Whether a file has an identifier.
    pub fn mention(&self, name: &str) -> bool {
        self.identifiers.binary_search(&hash(name)).is_ok()
    }

    /// Whether a folder has a file of a name that a directive mentions. The toolkit's own folders may be named again.
    pub fn are_hidden(&self, folders: &[PathBuf], toolkit: &Toolkit) -> bool {
        let own = toolkit.folders();
        let is_own = |f: &Path| f.canonicalize().is_ok_and(|f| own.contains(&f));
        folders.iter().filter(|f| !is_own(f)).any(|folder| {
            let entries: HashSet<OsString> =
                std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
            !entries.is_empty()
                && self.files.iter().any(|name| {
                    let Some(Component::Normal(first)) = Path::new(name).components().next() else { return false };
                    entries.contains(first) && folder.join(name).is_file()
                })
        })
    }
}

/// Returns the names in `<…>` and `"…"` of a line.
fn file_names(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find(['<', '"'])?;
            let close = if rest[open..].starts_with('<') { '>' } else { '"' };
            let behind = &rest[open + 1..];
            let end = behind.find(close)?;
            let name = &behind[..end];
            rest = &behind[end + 1..];
            if !name.is_empty() && !name.contains(char::is_whitespace) {
                return Some(name);
            }
        }
    })
}

/// First bytes of the blake3 hash of a name.
fn hash(name: &str) -> u64 {
    let bytes = blake3::hash(name.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|i| bytes.as_bytes()[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_macros_and_of_files() {
        let text = "#include <a/b.h>\n# include \"c.h\" // <d e>\n#if __has_include(<f>) && X < 3 && Y > 2\n#define G <g.h>\n#endif\nint h; // i\n";
        let names = MentionedNames::of_text(text);
        assert_eq!(names.files.iter().map(String::as_str).collect::<Vec<_>>(), ["a/b.h", "c.h", "f", "g.h"]);
        assert!(["X", "Y", "G", "h"].iter().all(|n| names.mention(n)) && !names.mention("i"));
    }

    #[test]
    fn a_file_of_such_a_name_hides_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["inc/a/b.h", "other/b.h", "toolkit/include/a/b.h"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        let include = root.canonicalize().unwrap().join("toolkit/include");
        let toolkit = Toolkit {
            root: None,
            version: (13, 0, 0),
            includes: vec![include.clone()],
            system_includes: vec![],
            host: crate::clang::toolkit::HostCompiler::default(),
        };
        let names = MentionedNames::of_text("#include <a/b.h>\n");
        let hidden = |f: &str| names.are_hidden(&[root.join(f)], &toolkit);
        assert_eq!(["inc", "other", "missing", "toolkit/include"].map(hidden), [true, false, false, false]);
    }
}
