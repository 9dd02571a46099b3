//! Contents of a folder as a plain search shows them: build system, programs or a library, third-party code.
//!
//! In: a folder. Out: [`DetectedProject`]. The search runs nothing; it reads file names, the configuration of build systems,
//! and sources up to a size.

use confirm::manifest::is_bundle;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Names of folders that are not searched: third-party code, and what builds fetch (`_deps`).
const FOREIGN: &[&str] = &[
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "3rd_party",
    "external",
    "externals",
    "extern",
    "vendor",
    "_deps",
];
/// Limits of the search: entries, depth in folders, and size of a source in bytes.
const MAX_ENTRIES: usize = 50_000;
const MAX_DEPTH: usize = 8;
const MAX_BYTES: u64 = 2 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectKind {
    /// A source defines `main`.
    Program,
    Library,
    /// A source registers operators with PyTorch.
    Extension,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildSystem {
    /// `preset`: the first build preset that can be used.
    CMake {
        preset: Option<String>,
    },
    Meson,
    ScikitBuild,
    Setuptools,
    Bazel,
    Make,
}

impl BuildSystem {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::CMake { .. } => "CMake",
            Self::Meson => "Meson",
            Self::ScikitBuild => "scikit-build-core",
            Self::Setuptools => "setuptools",
            Self::Bazel => "Bazel",
            Self::Make => "Make",
        }
    }
}

#[derive(Clone, Debug)]
pub struct DetectedProject {
    pub shape: ProjectKind,
    /// Build systems, the likeliest first.
    pub builds: Vec<BuildSystem>,
    /// The project's own CUDA sources, relative to the folder, sorted. A file that several names link counts once.
    pub sources: Vec<String>,
    /// Sources that define `main`, relative to the folder, sorted: CUDA sources and others.
    pub mains: Vec<String>,
    /// Whether the search ended before it had seen all: there may be more sources.
    pub cut: bool,
    /// Folders with third-party code.
    pub foreign: Vec<String>,
    /// Build folder that CMake has configured.
    pub configured: Option<String>,
}

impl DetectedProject {
    pub fn of(folder: &Path) -> Self {
        let mut found = ScannedSources { foreign: submodules(folder), ..ScannedSources::default() };
        found.walk(folder, &PathBuf::new(), 0);
        found.sources.sort();
        found.mains.sort();
        let shape = if found.registers {
            ProjectKind::Extension
        } else if !found.mains.is_empty() || found.sources.is_empty() {
            ProjectKind::Program
        } else {
            ProjectKind::Library
        };
        let builds = builds(folder, shape);
        Self {
            shape,
            builds,
            sources: found.sources,
            mains: found.mains,
            cut: found.entries > MAX_ENTRIES,
            foreign: found.foreign.into_iter().collect(),
            configured: configured(folder),
        }
    }
}

#[derive(Default)]
struct ScannedSources {
    sources: Vec<String>,
    foreign: BTreeSet<String>,
    mains: Vec<String>,
    /// Files that were counted, by device and inode.
    counted: BTreeSet<(u64, u64)>,
    registers: bool,
    entries: usize,
}

impl ScannedSources {
    fn walk(&mut self, root: &Path, below: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(root.join(below)) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return;
            }
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let path = below.join(name);
            let Ok(kind) = entry.file_type() else { continue };
            let shown = path.to_string_lossy().into_owned();
            if kind.is_dir() {
                if self.foreign.contains(&shown) || name.starts_with('.') || is_built(&entry.path()) {
                    continue;
                }
                if FOREIGN.contains(&name.to_lowercase().as_str()) {
                    self.foreign.insert(shown);
                } else if depth < MAX_DEPTH {
                    self.walk(root, &path, depth + 1);
                }
            } else if kind.is_file() || kind.is_symlink() {
                self.file(&entry.path(), &shown);
            }
        }
    }

    fn file(&mut self, path: &Path, shown: &str) {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !matches!(extension, "cu" | "c" | "cc" | "cpp" | "cxx") {
            return;
        }
        // Links to files are followed: what they name is a source of this name. Links to folders are not.
        let Ok(meta) = path.metadata() else { return };
        if !meta.is_file() || !self.counted.insert((meta.dev(), meta.ino())) {
            return;
        }
        if extension == "cu" {
            self.sources.push(shown.to_owned());
        }
        if meta.len() > MAX_BYTES {
            return;
        }
        let Ok(bytes) = std::fs::read(path) else { return };
        let text = String::from_utf8_lossy(&bytes);
        if has_main(&text) {
            self.mains.push(shown.to_owned());
        }
        self.registers |=
            ["TORCH_LIBRARY", "PYBIND11_MODULE", "torch::RegisterOperators"].iter().any(|m| text.contains(m))
                && ["torch/", "ATen/", "TORCH_LIBRARY"].iter().any(|m| text.contains(m));
    }
}

/// Whether a folder was made by a build, an environment or a package tool, or is a bundle of `scuba confirm`.
fn is_built(folder: &Path) -> bool {
    folder.join("CMakeCache.txt").is_file()
        || folder.join("build.ninja").is_file()
        || folder.join("pyvenv.cfg").is_file()
        || folder.join("conda-meta").is_dir()
        || is_built_by_setuptools(folder)
        || is_bundle(folder)
        || folder.file_name().is_some_and(|n| n == "node_modules" || n == "__pycache__")
}

/// Whether setuptools made a folder: `build` with `lib`, `lib.linux-…` or `temp.linux-…`, which hold copies of sources.
fn is_built_by_setuptools(folder: &Path) -> bool {
    folder.file_name().is_some_and(|n| n == "build")
        && std::fs::read_dir(folder).into_iter().flatten().flatten().any(|e| {
            let name = e.file_name();
            let name = name.to_string_lossy();
            name.starts_with("temp.") || name.starts_with("lib.") || name.starts_with("bdist.")
        })
}

/// Whether a line that is no comment contains the word `main` followed by a parenthesis.
fn has_main(text: &str) -> bool {
    text.lines().filter(|l| !l.trim_start().starts_with(['/', '*', '#'])).any(|l| {
        l.match_indices("main").any(|(i, _)| {
            let before = l[..i].chars().next_back();
            before.is_some_and(|c| c.is_whitespace() || c == '*') && l[i + 4..].trim_start().starts_with('(')
        })
    })
}

/// Returns the submodule folders in `.gitmodules`.
fn submodules(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join(".gitmodules")).unwrap_or_default();
    text.lines()
        .filter_map(|l| l.trim().strip_prefix("path")?.trim_start().strip_prefix('='))
        .map(|p| p.trim().trim_end_matches('/').to_owned())
        .filter(|p| folder.join(p).is_dir())
        .collect()
}

fn builds(folder: &Path, shape: ProjectKind) -> Vec<BuildSystem> {
    let there = |name: &str| folder.join(name).is_file();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let mut out = vec![];
    if read("pyproject.toml").contains("scikit_build_core") {
        out.push(BuildSystem::ScikitBuild);
    }
    if there("setup.py") && (shape == ProjectKind::Extension || read("setup.py").contains("CUDAExtension")) {
        out.push(BuildSystem::Setuptools);
    }
    if there("CMakeLists.txt") {
        out.push(BuildSystem::CMake { preset: preset(&read("CMakePresets.json")) });
    }
    if there("meson.build") {
        out.push(BuildSystem::Meson);
    }
    if ["MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"].iter().any(|n| there(n)) {
        out.push(BuildSystem::Bazel);
    }
    if ["Makefile", "makefile", "GNUmakefile"].iter().any(|n| there(n)) {
        out.push(BuildSystem::Make);
    }
    out
}

/// Returns the first build preset that is not hidden and shares its name with a configure preset.
fn preset(text: &str) -> Option<String> {
    let presets: serde_json::Value = serde_json::from_str(text).ok()?;
    let names = |kind: &str| -> Vec<String> {
        let list = presets[kind].as_array().cloned().unwrap_or_default();
        list.iter().filter(|p| p["hidden"] != true).filter_map(|p| p["name"].as_str().map(str::to_owned)).collect()
    };
    let configure = names("configurePresets");
    names("buildPresets").into_iter().find(|n| configure.contains(n))
}

fn configured(folder: &Path) -> Option<String> {
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|e| e.path().join("CMakeCache.txt").is_file())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn programs_libraries_and_extensions_are_told_apart() {
        let shape = |files: &[(&str, &str)]| DetectedProject::of(folder(files).path()).shape;
        let kernel = ("k.cu", "__global__ void k(int *a) { a[0] = 1; }\n// int main() is elsewhere\n");
        assert_eq!(shape(&[kernel, ("main.cpp", "int\nmain (void) { }")]), ProjectKind::Library);
        assert_eq!(shape(&[kernel, ("main.cpp", "int main (void) { }")]), ProjectKind::Program);
        assert_eq!(shape(&[kernel, ("a.cpp", "void domain(int);\nint x = remain(3);")]), ProjectKind::Library);
        assert_eq!(
            shape(&[kernel, ("ops.cpp", "#include <torch/extension.h>\nPYBIND11_MODULE(a, m) {}")]),
            ProjectKind::Extension
        );
        assert_eq!(
            shape(&[kernel, ("ops.cpp", "#include <pybind11/pybind11.h>\nPYBIND11_MODULE(a, m) {}")]),
            ProjectKind::Library
        );
    }

    #[test]
    fn code_of_others_and_of_builds_is_not_the_projects() {
        let dir = folder(&[
            ("src/a.cu", ""),
            ("third_party/b.cu", "int main() {}"),
            ("libs/x/c.cu", "int main() {}"),
            (".gitmodules", "[submodule \"x\"]\n\tpath = libs/x\n\turl = x\n[submodule \"gone\"]\n\tpath = gone\n"),
            ("build/CMakeCache.txt", ""),
            ("build/d.cu", ""),
            (".git/e.cu", ""),
            ("repro/manifest.json", "{\"schema\": \"scuba-bundle/2\"}"),
            ("repro/source/f.cu", "int main() {}"),
        ]);
        let p = DetectedProject::of(dir.path());
        assert_eq!(
            (p.sources, p.foreign),
            (vec!["src/a.cu".to_owned()], vec!["libs/x".to_owned(), "third_party".to_owned()])
        );
        assert_eq!((p.shape, p.configured), (ProjectKind::Library, Some("build".to_owned())));
    }

    #[test]
    fn each_source_counts_once_and_copies_of_builds_do_not() {
        let dir = folder(&[
            ("a.cu", "int main() {}"),
            ("src/b.cu", "__global__ void k() {}"),
            ("tests/t.cpp", "int main() {}"),
            ("build/lib.linux-x86_64-cpython-311/pkg/b.cu", ""),
            ("build/temp.linux-x86_64-cpython-311/x.o", ""),
            ("env/conda-meta/history", ""),
            ("env/c.cu", "int main() {}"),
        ]);
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, dir.path().join(name)).unwrap();
        link("src/b.cu", "again.cu");
        link("gone", "broken.cu");
        link("src", "folder");
        let elsewhere = folder(&[("shared.cu", "")]);
        link(elsewhere.path().join("shared.cu").to_str().unwrap(), "shared.cu");
        let p = DetectedProject::of(dir.path());
        assert_eq!(p.sources, ["a.cu", "again.cu", "shared.cu"]);
        assert_eq!(p.mains, ["a.cu", "tests/t.cpp"]);
        assert!(!p.cut);
        // A folder of this name that a project keeps its sources in.
        let p = DetectedProject::of(folder(&[("build/lib/x.cu", ""), ("build/temp/y.cu", "")]).path());
        assert_eq!(p.sources.len(), 2);
    }

    #[test]
    fn build_systems_are_known_by_their_files() {
        let of = |files: &[(&str, &str)]| -> Vec<String> {
            let files: Vec<_> = files.iter().copied().chain([("a.cu", "int main() {}")]).collect();
            DetectedProject::of(folder(&files).path()).builds.iter().map(|b| format!("{b:?}")).collect()
        };
        assert_eq!(of(&[("Makefile", ""), ("CMakeLists.txt", "")]), ["CMake { preset: None }", "Make"]);
        let presets = r#"{"configurePresets": [{"name": "base", "hidden": true}, {"name": "r"}], "buildPresets": [{"name": "base"}, {"name": "r"}]}"#;
        assert_eq!(of(&[("CMakePresets.json", presets), ("CMakeLists.txt", "")]), ["CMake { preset: Some(\"r\") }"]);
        assert_eq!(of(&[("setup.py", "from setuptools import setup"), ("meson.build", "")]), ["Meson"]);
        assert_eq!(
            of(&[("setup.py", "from torch.utils.cpp_extension import CUDAExtension"), ("MODULE.bazel", "")]),
            ["Setuptools", "Bazel"]
        );
        assert_eq!(
            of(&[("pyproject.toml", "build-backend = \"scikit_build_core.build\""), ("CMakeLists.txt", "")]),
            ["ScikitBuild", "CMake { preset: None }"]
        );
        assert_eq!(of(&[]), Vec::<String>::new());
    }
}
