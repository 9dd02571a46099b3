//! Detects whether an `#include` would now find another file than before: a new file of the same name in a folder that
//! is searched earlier, or one that `__has_include` did not find.
//!
//! In: a unit's folders, the files that were read. Out: a hash of all files that these names may denote. Only names are
//! hashed: other code checks whether the files exist and what they contain. Installed packages are trusted: a
//! header that is added to `/usr/include` beside a toolkit's is ignored, unless `__has_include` mentions it.

use crate::bundled;
use files::Since;
use files::normalise;
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Folders of installed packages that `__has_include` searches in addition to the unit's own.
const SYSTEM: [&str; 2] = ["/usr/include", "/usr/local/include"];

/// Folders that clang searches for a unit's includes.
#[derive(Clone, Debug, Default)]
pub struct SearchFolders {
    folders: Vec<PathBuf>,
    /// Toolkit folder, whose files are installed together.
    toolkit: Option<PathBuf>,
    /// Project's folder, which does not matter.
    project: Option<PathBuf>,
}

/// Files denoted by the names in a set of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namesakes {
    /// Names that `__has_include` mentions.
    asked: BTreeSet<String>,
    /// blake3 hash of the files in searched folders that have one of these names, or that of a file that was read.
    found: [u8; 32],
}

impl SearchFolders {
    /// Returns the folders of a unit: beside its source, and those of flags and of the environment.
    #[must_use]
    pub fn of(unit: &TranslationUnit) -> Self {
        let mut named: Vec<PathBuf> = unit.source.parent().map(Path::to_owned).into_iter().collect();
        named.extend(unit.preprocessor.iter().filter_map(|flag| match flag {
            PreprocessorFlag::Include(p) | PreprocessorFlag::SystemInclude(p) => Some(p.clone()),
            _ => None,
        }));
        // `-I DIR`, `-IDIR`, `-isystem DIR` and so on, for the host compiler.
        for flag in &unit.host_flags {
            let joined = ["-isystem", "-iquote", "-idirafter", "-I"].iter().find_map(|f| flag.strip_prefix(f));
            named.extend(Some(joined.unwrap_or(flag)).filter(|f| !f.is_empty()).map(PathBuf::from));
        }
        for name in ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"] {
            named.extend(std::env::var_os(name).iter().flat_map(std::env::split_paths));
        }
        let folders = named.iter().map(|p| normalise(&unit.directory, p)).filter(|p| p.is_dir()).collect();
        Self {
            folders,
            toolkit: unit.nvcc.as_ref().and_then(|n| Some(n.parent()?.parent()?.to_owned())),
            project: None,
        }
    }

    /// Leaves the folder of a project out of hashes, so that checkouts in different folders have the same.
    #[must_use]
    pub fn of_project(self, root: &Path) -> Self {
        Self { project: Some(root.to_owned()), ..self }
    }

    /// Returns no folders but a toolkit's, whose files are installed together.
    #[must_use]
    pub fn of_toolkit(root: Option<&Path>) -> Self {
        Self { folders: vec![], toolkit: root.map(Path::to_owned), project: None }
    }

    /// Returns the files that the names in these files denoted for a reader that began at a moment. `None` if a name in
    /// `__has_include` is not literal, or if a file of such a name appeared since then: the reader may have looked
    /// before.
    #[must_use]
    pub fn namesakes<'a>(&'a self, files: impl Iterator<Item = &'a Path> + Clone, since: &Since) -> Option<Namesakes> {
        let asked = self.asked_for(files.clone())?;
        let found = self.found(files, &asked);
        (!found.iter().any(|path| since.came(path))).then(|| Namesakes { found: self.hash(&found), asked })
    }

    /// Whether the names still denote the same files.
    #[must_use]
    pub fn unchanged<'a>(&'a self, files: impl Iterator<Item = &'a Path> + Clone, were: &Namesakes) -> bool {
        self.hash(&self.found(files, &were.asked)) == were.found
    }

    /// Returns the existing files that an `#include` of one of `files`, or an `__has_include`, may denote. Another file
    /// of one of these names, in a folder that is searched earlier, would be read instead.
    fn found<'a>(
        &'a self,
        files: impl Iterator<Item = &'a Path> + Clone,
        asked: &BTreeSet<String>,
    ) -> BTreeSet<PathBuf> {
        let mut folders: BTreeSet<&Path> = self.folders.iter().map(PathBuf::as_path).collect();
        folders.extend(files.clone().filter_map(Path::parent).filter(|f| !self.is_installed(f)));
        let entries: HashMap<&Path, HashSet<OsString>> =
            folders.iter().map(|f| (*f, names_in(f))).filter(|f| !f.1.is_empty()).collect();
        let mut found = BTreeSet::new();
        let mut look = |name: &Path| {
            let Some(Component::Normal(first)) = name.components().next() else { return };
            for (folder, _) in entries.iter().filter(|(_, names)| names.contains(first)) {
                let path = folder.join(name);
                if path.is_file() {
                    found.insert(path);
                }
            }
        };
        let suffixes: HashSet<&Path> = files.flat_map(suffixes).collect();
        suffixes.into_iter().for_each(&mut look);
        asked.iter().map(Path::new).for_each(&mut look);
        for folder in SYSTEM {
            found.extend(asked.iter().map(|name| Path::new(folder).join(name)).filter(|p| p.is_file()));
        }
        found
    }

    fn hash(&self, paths: &BTreeSet<PathBuf>) -> [u8; 32] {
        // Relative paths are those inside the project.
        let inside = |path: &'_ PathBuf| {
            let rest = self.project.as_ref().and_then(|root| path.strip_prefix(root).ok().map(Path::to_owned));
            rest.unwrap_or_else(|| path.clone())
        };
        let names: BTreeSet<PathBuf> = paths.iter().map(inside).collect();
        let mut hash = blake3::Hasher::new();
        for name in &names {
            hash.update(name.as_os_str().as_encoded_bytes()).update(&[0]);
        }
        *hash.finalize().as_bytes()
    }

    /// Whether a file belongs to the system, the toolkit or our own clang, and not to the user.
    fn is_installed(&self, path: &Path) -> bool {
        path.starts_with("/usr") && !path.starts_with("/usr/local")
            || self.toolkit.as_ref().is_some_and(|t| path.starts_with(t))
            || bundled::folder().is_some_and(|f| path.starts_with(f))
    }

    /// Returns the names in `__has_include` of the user's files; `None` if one is not literal.
    fn asked_for<'a>(&self, files: impl Iterator<Item = &'a Path>) -> Option<BTreeSet<String>> {
        const OPERATOR: &str = "__has_include";
        let mut asked = BTreeSet::new();
        for file in files.filter(|f| !self.is_installed(f)) {
            let text = std::fs::read(file).ok()?;
            if !text.windows(OPERATOR.len()).any(|w| w == OPERATOR.as_bytes()) {
                continue;
            }
            for rest in String::from_utf8_lossy(&text).split(OPERATOR).skip(1) {
                let rest = rest.strip_prefix("_next").unwrap_or(rest).trim_start_matches([' ', '\t']);
                // `#ifdef __has_include` and longer names test nothing.
                let Some(name) = rest.strip_prefix('(') else { continue };
                let name = name.trim_start_matches([' ', '\t']);
                let close = match name.chars().next()? {
                    '<' => '>',
                    '"' => '"',
                    _ => return None,
                };
                asked.insert(name[1..].split(close).next()?.to_owned());
            }
        }
        Some(asked)
    }
}

fn names_in(folder: &Path) -> HashSet<OsString> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name()).collect()
}

/// Returns the suffixes of a path, by which an `#include` may have named it: `a/b/c.h`, `b/c.h` and `c.h` for
/// `/a/b/c.h`.
fn suffixes(path: &Path) -> impl Iterator<Item = &Path> {
    let mut rest = path.strip_prefix("/").unwrap_or(path).components();
    std::iter::from_fn(move || {
        let now = rest.as_path();
        rest.next()?;
        Some(now)
    })
}
