//! The user's own files: the single decision which code is the user's, for everything that reports positions to users.
//!
//! In: a unit, and the folders of the toolkit and of the front end. Out: whether a path is a header that is not the
//! user's. Only the text of paths decides, so that the same command gives the same answer on every machine.
//!
//! Headers and sources that are not the user's:
//! - files in *standard* folders, where systems, the CUDA toolkit and the front end keep headers;
//! - the headers of clang (`lib/clang/22/include`), of GCC (`lib/gcc/…`) and of the C++ library (`include/c++/12`),
//!   wherever these are installed;
//! - files in a folder given by `-isystem` (GCC's manual, "Options for Directory Search": a system directory);
//! - the files of a Python package that is installed (`site-packages/torch/include`), wherever that is, unless the
//!   source is of the same package: setuptools gives the folders of PyTorch's headers by `-I`;
//! - the headers of PyTorch (`torch/include`, `libtorch/include`) and of Python (`include/python3.12`), wherever their
//!   distributions are unpacked.
//!
//! Everything else is the user's. So are files in or below the folder of the compiled source, if that folder is inside
//! such a folder (samples inside the toolkit) or is one itself (`-isystem .`), and files in a folder given by `-I`
//! inside one given by `-isystem`.

use files::normalise;
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// Header folders of every system. A toolkit folder without a version in its name may be a link to the one in use.
const STANDARD: [&str; 4] = ["/usr/include", "/usr/lib", "/usr/local/include", "/usr/local/cuda"];

/// GCC flags that name a folder of system headers.
const OF_GCC: [&str; 2] = ["-isystem", "-idirafter"];

/// Folders that distinguish the user's files from others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserFolders {
    standard: Vec<PathBuf>,
    /// `-isystem` folders.
    system: Vec<PathBuf>,
    /// `-I` folders.
    included: Vec<PathBuf>,
    /// Folder of the compiled source.
    source: Option<PathBuf>,
    /// Folders for files that the front end adds to a unit, for one run or for one machine.
    ours: Vec<PathBuf>,
}

impl UserFolders {
    /// Creates the classifier for a unit. `standard` are the folders of the toolkit and of the front end.
    #[must_use]
    pub fn of(unit: &TranslationUnit, standard: impl IntoIterator<Item = PathBuf>) -> Self {
        let path = |p: &Path| normalise(&unit.directory, p);
        let mut own = Self::outside(standard);
        own.source = path(&unit.source).parent().map(Path::to_owned);
        for flag in &unit.preprocessor {
            match flag {
                PreprocessorFlag::SystemInclude(p) => own.system.push(path(p)),
                PreprocessorFlag::Include(p) => own.included.push(path(p)),
                _ => {}
            }
        }
        let mut words = unit.host_flags.iter();
        while let Some(word) = words.next() {
            let Some(rest) = OF_GCC.iter().find_map(|f| word.strip_prefix(f)) else { continue };
            let folder = if rest.is_empty() { words.next().map(String::as_str) } else { Some(rest) };
            own.system.extend(folder.map(|f| path(Path::new(f))));
        }
        own
    }

    /// Creates a classifier for which all files are the user's, except those in these folders, in header folders of
    /// every system, and in those of compilers.
    #[must_use]
    pub fn outside(standard: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { standard: STANDARD.map(PathBuf::from).into_iter().chain(standard).collect(), ..Self::default() }
    }

    /// Adds folders of the front end's own files.
    #[must_use]
    pub fn and_ours(mut self, ours: impl IntoIterator<Item = PathBuf>) -> Self {
        self.ours.extend(ours);
        self
    }

    /// Whether a file is one of the front end's additions: users cannot look at it, and its folder differs in each run.
    #[must_use]
    pub fn is_ours(&self, path: &Path) -> bool {
        longest(&self.ours, path) > longest(&self.source, path)
    }

    /// Adds further folders that are not the user's.
    #[must_use]
    pub fn and_outside(mut self, standard: impl IntoIterator<Item = PathBuf>) -> Self {
        self.standard.extend(standard);
        self
    }

    /// Whether a file, given by its normalised absolute path, is a header that is not the user's. The longest folder
    /// that contains it decides.
    #[must_use]
    pub fn is_system(&self, path: &Path) -> bool {
        let standard = longest(self.standard.iter().chain(&self.ours), path);
        let standard = standard.max(of_a_compiler(path)).max(self.of_another_package(path));
        let system = longest(&self.system, path);
        let nobodys = standard.max(system);
        // If a folder is given both ways, GCC and clang ignore `-I`.
        nobodys > 0
            && longest(&self.source, path) < nobodys
            && (standard > 0 || longest(&self.included, path) <= system)
    }

    /// Returns the number of components of the folder of an installed Python package that contains a path; 0 for none,
    /// and for the source's own.
    fn of_another_package(&self, path: &Path) -> usize {
        let is_own = |folder: &Path| self.source.as_deref().is_some_and(|s| s.starts_with(folder));
        let of_library = |folder: &&Path| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let of_python = name.starts_with("python3.") && folder.parent().is_some_and(|p| p.ends_with("include"));
            of_python || ["torch/include", "libtorch/include"].iter().any(|name| folder.ends_with(name))
        };
        let folder = package(path).or_else(|| path.ancestors().skip(1).find(of_library));
        folder.filter(|folder| !is_own(folder)).map_or(0, |folder| folder.components().count())
    }
}

/// Returns the folder of the installed Python package that contains a path (Python's documentation, `site`; Debian
/// names the folder of all packages `dist-packages`).
fn package(path: &Path) -> Option<&Path> {
    let of_packages = |folder: &Path| folder.ends_with("site-packages") || folder.ends_with("dist-packages");
    path.ancestors().find(|a| a.parent().is_some_and(of_packages))
}

/// Returns the number of components of the longest of these folders that contains a path; 0 for none.
fn longest<'f>(folders: impl IntoIterator<Item = &'f PathBuf>, path: &Path) -> usize {
    folders.into_iter().filter(|f| path.starts_with(f)).map(|f| f.components().count()).max().unwrap_or(0)
}

/// Returns the number of components of the folder of a compiler's or the C++ library's headers that contains a path; 0
/// for none. LLVM's "resource directory" is `lib/clang/VERSION`; GCC's headers are in `lib/gcc/TARGET/VERSION/include`,
/// those of libstdc++ and libc++ in `include/c++/VERSION`.
fn of_a_compiler(path: &Path) -> usize {
    let parts: Vec<Component<'_>> = path.components().collect();
    let is = |at: usize, names: &[&str]| parts.get(at).is_some_and(|c| names.iter().any(|n| c.as_os_str() == *n));
    let libraries = ["lib", "lib64", "lib32", "libexec"];
    (0..parts.len())
        .rev()
        .find_map(|i| {
            let clangs = is(i, &libraries) && is(i + 1, &["clang"]) && is(i + 3, &["include"]);
            let gccs = is(i, &libraries) && is(i + 1, &["gcc"]) && parts.len() > i + 4;
            let library = is(i, &["include"]) && is(i + 1, &["c++"]) && parts.len() > i + 3;
            // A path inside it has at least one component more.
            if clangs {
                Some(i + 4)
            } else if gccs {
                Some(i + 2)
            } else {
                library.then_some(i + 3)
            }
        })
        .filter(|n| *n < parts.len())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::UserFolders;
    use nvcc::command::{Environment, NvccCommand};
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    fn own(line: &str) -> UserFolders {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let command = NvccCommand::read(&words, &Environment::default(), Path::new("/p/build"));
        let plan = command.plan(Path::new("/p/build"), Some(Path::new("/cuda/bin/nvcc")), &Vec::new).unwrap();
        UserFolders::of(&plan.request.units[0], [PathBuf::from("/opt/toolkit")])
    }

    #[track_caller]
    fn says(own: &UserFolders, system: &[&str], users: &[&str]) {
        for path in system {
            assert!(own.is_system(Path::new(path)), "{path} is the user's");
        }
        for path in users {
            assert!(!own.is_system(Path::new(path)), "{path} is not the user's");
        }
    }

    #[test]
    fn headers_of_the_system_the_toolkit_and_of_compilers_are_nobodys() {
        says(
            &own("-I../inc -c ../src/a.cu"),
            &[
                "/usr/include/math.h",
                "/usr/local/include/x.h",
                "/usr/local/cuda/include/mma.h",
                "/opt/toolkit/include/cccl/cub/cub.cuh",
                "/opt/llvm/lib/clang/22/include/__clang_cuda_intrinsics.h",
                "/opt/gcc/include/c++/13.2/bits/stl_vector.h",
                "/opt/gcc/lib64/gcc/x86_64-linux/13.2/include/omp.h",
            ],
            &[
                "/p/src/a.cu",
                "/p/src/deep/b.h",
                "/p/inc/own.h",
                "/elsewhere/c.h",
                "/p/include/c++",
                "/p/lib/clang/tool.h",
                "/opt/toolkit-samples/a.cu",
            ],
        );
    }

    #[test]
    fn installed_packages_of_python_are_nobodys_but_the_source_s_own() {
        let packages = "/v/lib/python3.12/site-packages";
        says(
            &own(&format!("-I{packages}/torch/include -I../inc -c ../src/a.cu")),
            &["/v/lib/python3.12/site-packages/torch/include/c10/util/Half.h", "/u/dist-packages/numpy/core/a.h"],
            &["/p/src/a.cu", "/p/inc/own.h", "/p/site-packages"],
        );
        says(
            &own(&format!("-I{packages}/mine/include -c {packages}/mine/csrc/a.cu")),
            &["/v/lib/python3.12/site-packages/torch/include/c10/util/Half.h"],
            &["/v/lib/python3.12/site-packages/mine/include/k.cuh", "/v/lib/python3.12/site-packages/mine/csrc/a.cu"],
        );
    }

    #[test]
    fn headers_of_pytorch_and_python_are_nobodys_wherever_they_lie() {
        says(
            &own("-I/t/torch/include -I/opt/libtorch/include/torch/csrc/api/include -I../inc -c ../src/a.cu"),
            &[
                "/t/torch/include/torch/headeronly/util/Half.h",
                "/opt/libtorch/include/c10/util/Half.h",
                "/home/me/.pyenv/versions/3.11.7/include/python3.11/pyport.h",
            ],
            &["/p/src/a.cu", "/p/inc/own.h", "/p/torch/include", "/p/torch/own/include/k.h", "/p/python3.11/k.h"],
        );
        says(&own("-c /p/torch/include/test/a.cu"), &[], &["/p/torch/include/test/a.cu", "/p/torch/include/k.h"]);
    }

    #[test]
    fn what_isystem_names_is_nobodys_but_for_the_source_and_deeper_folders() {
        let given = own("-isystem ../third -I../third/mine -I../third/mine/inc -Xcompiler -isystem,/x -c ../src/a.cu");
        says(&given, &["/p/third/t.h", "/x/y/z.h"], &["/p/third/mine/m.h", "/p/src/a.cu", "/y.h"]);
        // A folder given both ways is a system folder.
        says(&own("-isystem=../inc -I../inc -c ../src/a.cu"), &["/p/inc/h.h"], &["/p/src/h.h"]);
        // The whole project is a system folder, as with CMake's `SYSTEM`: files beside the source stay the user's.
        says(&own("-isystem .. -c ../src/a.cu"), &["/p/inc/h.h"], &["/p/src/a.cu", "/p/src/b.h"]);
        says(&own("-isystem ../src -isystem ../src/third -c ../src/a.cu"), &["/p/src/third/t.h"], &["/p/src/a.cu"]);
    }

    #[test]
    fn what_the_front_end_adds_is_nobodys_and_known_as_such() {
        let own = own("-c /tmp/a.cu").and_ours(["/tmp/made".into()]);
        says(&own, &["/tmp/made/compat.h"], &["/tmp/a.cu"]);
        assert!(own.is_ours(Path::new("/tmp/made/compat.h")) && !own.is_ours(Path::new("/usr/include/math.h")));
    }

    #[test]
    fn a_sample_inside_the_toolkit_is_its_authors() {
        let sample = own("-I/usr/local/cuda/samples/inc -c /usr/local/cuda/samples/add/add.cu");
        says(
            &sample,
            &["/usr/local/cuda/include/mma.h", "/usr/local/cuda/samples/inc/h.h"],
            &["/usr/local/cuda/samples/add/add.cu", "/usr/local/cuda/samples/add/k.h"],
        );
    }
}
