//! Sources of the command that a build tool runs for an output.
//!
//! In: an output and the working folder of its command. Out: the files and statements that define the command. If they
//! change, the build tool is about to run it again, and facts of the old command must not be joined with facts of new
//! ones.

use super::currency::DiskSnapshot;
use super::generated::folders::{ninja_file, target_folder};
use files::Dependency;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Files that make reads by default.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Files that hold the command or its flags.
    pub files: Vec<Dependency>,
    /// Statement of a `build.ninja` that makes the output.
    pub edge: Option<Edge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub file: PathBuf,
    /// blake3 of the statement with its variables.
    pub hash: [u8; 32],
}

impl Recipe {
    /// Reads the present recipe. `output` is a unit's key; `directory` is absolute.
    #[must_use]
    pub fn of(output: &Path, directory: &Path, present: &DiskSnapshot) -> Self {
        if let Some((file, hash)) = ninja_file(output).and_then(|f| present.edge(&f, output).map(|h| (f, h))) {
            return Self { files: vec![], edge: Some(Edge { file, hash }) };
        }
        let flags = target_folder(output).map(|folder| folder.join("flags.make")).filter(|f| f.is_file());
        let files: Vec<PathBuf> = match flags {
            Some(flags) => vec![flags],
            None => makefiles(directory),
        };
        Self { files: files.iter().filter_map(|f| present.dependency(f)).collect(), edge: None }
    }

    /// Whether the build tool would run the same command for `output`.
    #[must_use]
    pub fn unchanged(&self, output: &Path, present: &DiskSnapshot) -> bool {
        self.files.iter().all(|f| present.unchanged(f))
            && self.edge.as_ref().is_none_or(|e| present.edge(&e.file, output) == Some(e.hash))
    }
}

/// Returns the makefiles in a folder, recognised by their names.
pub(super) fn makefiles(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| {
            MAKEFILES.iter().any(|name| path.file_name().is_some_and(|n| n == *name))
                || path.extension().is_some_and(|e| e == "mk")
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::Recipe;
    use crate::currency::DiskSnapshot;
    use std::path::Path;

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Whether the recipe of `output` changes when the files change from `before` to `after`.
    fn changes(output: &str, before: &[(&str, &str)], after: &[(&str, &str)]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in before {
            write(&root, name, text);
        }
        let output = root.join(output);
        let recipe = Recipe::of(&output, &root, &DiskSnapshot::default());
        assert!(recipe.unchanged(&output, &DiskSnapshot::default()));
        for (name, text) in after {
            write(&root, name, text);
        }
        !recipe.unchanged(&output, &DiskSnapshot::default())
    }

    #[test]
    fn the_statement_of_the_output_counts_and_no_other() {
        let ninja = |a: &str, b: &str| {
            format!("build x/a.o: CUDA s/a.cu || order\n  FLAGS = {a}\n\nbuild b.o: CUDA b.cu\n  FLAGS = {b}\n")
        };
        let text = [ninja("-DX=4", "-O2"), ninja("-DX=8", "-O2"), ninja("-DX=4", "-O3")];
        assert!(changes("x/a.o", &[("build.ninja", &text[0])], &[("build.ninja", &text[1])]));
        assert!(!changes("x/a.o", &[("build.ninja", &text[0])], &[("build.ninja", &text[2])]));
        assert!(
            changes("x/a.o", &[("build.ninja", &text[0])], &[("build.ninja", "build b.o: CUDA b.cu\n")]),
            "it is no longer built"
        );
    }

    #[test]
    fn makefiles_of_cmake_keep_flags_apart() {
        let flags = "CMakeFiles/app.dir/flags.make";
        let output = "CMakeFiles/app.dir/s/a.cu.o";
        assert!(changes(output, &[(flags, "CUDA_FLAGS = -O2"), ("Makefile", "")], &[(flags, "CUDA_FLAGS = -O3")]));
        assert!(!changes(
            output,
            &[(flags, "CUDA_FLAGS = -O2"), ("Makefile", "")],
            &[("Makefile", "# generated again")]
        ));
    }

    #[test]
    fn makefiles_by_hand_are_taken_whole() {
        assert!(changes("a.o", &[("Makefile", "X = 4")], &[("Makefile", "X = 8")]));
        assert!(changes("a.o", &[("Makefile", "include x.mk"), ("x.mk", "X = 4")], &[("x.mk", "X = 8")]));
        assert!(!changes("a.o", &[("Makefile", ""), ("notes", "")], &[("notes", "more")]));
    }
}
