//! Where a build tool has the command for an output from.
//!
//! In: an output and the folder that its command runs in. Out: what would be different if the command were: then the
//! build tool is about to run it again, and facts of the old command must not be joined with facts of new ones.

use super::currency::Present;
use super::generated::folders::{ninja_file, target_folder};
use crate::files::Dependency;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Files that make reads by themselves.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Files that hold the command or its flags.
    pub files: Vec<Dependency>,
    /// The one statement of a `build.ninja` that makes the output.
    pub edge: Option<Edge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub file: PathBuf,
    /// blake3 of the statement with its variables.
    pub hash: [u8; 32],
}

impl Recipe {
    /// The recipe as it is now. `output` is a unit's key; `directory` is absolute.
    #[must_use]
    pub fn of(output: &Path, directory: &Path, present: &Present) -> Self {
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
    pub fn unchanged(&self, output: &Path, present: &Present) -> bool {
        self.files.iter().all(|f| present.unchanged(f))
            && self.edge.as_ref().is_none_or(|e| present.edge(&e.file, output) == Some(e.hash))
    }
}

/// What make reads in a folder, as far as names tell.
fn makefiles(directory: &Path) -> Vec<PathBuf> {
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

/// By what the makefiles of a folder link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linkers {
    pub nvcc: bool,
    /// The host's compilers.
    pub host: bool,
}

/// The linkers that the makefiles of a folder name, as far as their text tells; `None` where there are none. A recipe that runs a compiler
/// without a flag that only compiles links, and a variable that is set to one (`LD = $(NVCC)`) may.
#[must_use]
pub fn linkers(directory: &Path) -> Option<Linkers> {
    let files = makefiles(directory);
    if files.is_empty() {
        return None;
    }
    let mut found = Linkers::default();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_default().replace("\\\n", " ");
        for line in text.lines().filter(|l| !l.trim_start().starts_with('#')) {
            let by_nvcc = links_by_nvcc(line);
            found.nvcc |= by_nvcc;
            found.host |= !by_nvcc && links_by_host(line);
        }
    }
    Some(found)
}

/// The variable that a line of a makefile sets, and its value.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', ' ', '\t']).trim_start();
    (!name.is_empty() && !name.contains([' ', '\t', '$', '@'])).then_some((name, value))
}

fn compiles(line: &str) -> bool {
    let only = |w: &str| {
        matches!(w, "-c" | "-dc" | "-dw" | "-S" | "-E" | "-ptx" | "-cubin" | "-fatbin" | "-M" | "-MM" | "--compile")
    };
    line.split_whitespace().any(only)
}

fn links_by_nvcc(line: &str) -> bool {
    let names_it = ["nvcc", "$(NVCC", "${NVCC"].iter().any(|name| line.contains(name));
    let sets_it = assignment(line).is_some_and(|(name, _)| name == "NVCC");
    let flags_of_it = line.trim_start().starts_with("NVCC_") || line.trim_start().starts_with("NVCCFLAGS");
    names_it && !sets_it && !flags_of_it && !compiles(line)
}

fn links_by_host(line: &str) -> bool {
    let is_compiler = |w: &str| {
        let w = w.trim_start_matches(['@', '-', '+']);
        let variable = |name: &str| w == format!("$({name})") || w == format!("${{{name}}}");
        ["CXX", "CC", "CPP"].into_iter().any(variable)
            || matches!(
                w.rsplit('/').next(),
                Some("g++" | "gcc" | "c++" | "cc" | "clang" | "clang++" | "icpx" | "mpicxx")
            )
    };
    let (variable, command) = assignment(line).map_or((None, line), |(name, value)| (Some(name), value));
    let Some(first) = command.split_whitespace().next() else { return false };
    let writes = command.split_whitespace().any(|w| w == "-o");
    // What CXX or CC is does not tell what links.
    let is_linker = variable.is_some_and(|v| matches!(v, "LD" | "LINK" | "LINKER" | "LINK.o" | "LINK.cpp"));
    is_compiler(first) && (is_linker || writes) && !compiles(command)
}

#[cfg(test)]
mod tests {
    use super::{Linkers, Recipe, linkers};
    use crate::facts::currency::Present;
    use std::path::Path;

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Whether the recipe of `output` is another after the files say `after`.
    fn changes(output: &str, before: &[(&str, &str)], after: &[(&str, &str)]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in before {
            write(&root, name, text);
        }
        let output = root.join(output);
        let recipe = Recipe::of(&output, &root, &Present::default());
        assert!(recipe.unchanged(&output, &Present::default()));
        for (name, text) in after {
            write(&root, name, text);
        }
        !recipe.unchanged(&output, &Present::default())
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
    fn makefiles_tell_whether_nvcc_links() {
        let folder = tempfile::tempdir().unwrap();
        let says = |text: &str| {
            write(folder.path(), "Makefile", text);
            linkers(folder.path()).map(|Linkers { nvcc, host }| (nvcc, host))
        };
        assert_eq!(linkers(folder.path()), None);
        let compile = "NVCC ?= nvcc\nNVCCFLAGS = -ccbin g++\n%.o: %.cu\n\t$(NVCC) $(NVCCFLAGS) -c $< -o $@\n";
        assert_eq!(says(&format!("{compile}app: a.o\n\t$(CXX) -o $@ $^ -lcudart\n")), Some((false, true)));
        assert_eq!(says(&format!("{compile}app: a.o\n\t$(NVCC) -o $@ \\\n  $^\n")), Some((true, false)));
        assert_eq!(says(&format!("{compile}LD = $(NVCC)\napp: a.o\n\t$(LD) -o $@ $^\n")), Some((true, false)));
        let either = "LINK = $(NVCC) -o $@ $^\nifdef HOST\n  LINK = $(CXX) -o $@ $^\nendif\napp: a.o\n\t$(LINK)\n";
        assert_eq!(says(&format!("{compile}{either}")), Some((true, true)));
        let alone = "CXX = g++\nLD := g++\napp: a.o\n\t$(LD) $^ -o $@\nb.o: b.cpp\n\t$(CXX) -c $< -o $@\n";
        assert_eq!(says(&format!("{compile}{alone}")), Some((false, true)));
        assert_eq!(says(&format!("{compile}b.o: b.cpp\n\t@$(CXX) -c $< -o $@\n")), Some((false, false)));
    }

    #[test]
    fn makefiles_by_hand_are_taken_whole() {
        assert!(changes("a.o", &[("Makefile", "X = 4")], &[("Makefile", "X = 8")]));
        assert!(changes("a.o", &[("Makefile", "include x.mk"), ("x.mk", "X = 4")], &[("x.mk", "X = 8")]));
        assert!(!changes("a.o", &[("Makefile", ""), ("notes", "")], &[("notes", "more")]));
    }
}
