//! C++ models of libraries, compiled for a unit that uses one.
//!
//! In: the bitcode of a unit's host side, and what it declares. Out: bitcode of the models for each library whose names
//! occur in it, by the same clang. It is kept beside precompiled headers: compiling takes longer than linking it.

use super::invoke;
use files::store::{self, Readers};
use nvcc::processes::TimeAllowance;
use std::path::{Path, PathBuf};

/// Modelled libraries: substrings of a unit's symbols, and the sources of the models.
struct ModelledLibrary {
    symbols: &'static [&'static [u8]],
    sources: &'static [&'static str],
}

/// Tensors, on which the models of several libraries build.
const TENSORS: &str = include_str!("../../../templates/models/aten.cpp");

/// Operations on tensors that reduce, sort, select and multiply.
const REDUCTIONS: &str = include_str!("../../../templates/models/reductions.cpp");

const LIBRARIES: &[ModelledLibrary] = &[
    ModelledLibrary {
        symbols: &[b"2at10TensorBase", b"5torch6stable6Tensor", b"AtenTensorOpaque"],
        sources: &[TENSORS, REDUCTIONS, include_str!("../../../templates/models/stable.cpp")],
    },
    ModelledLibrary {
        symbols: &[b"8nanobind7ndarray", b"3tvm3ffi10TensorView", b"3tvm3ffi6Tensor", b"8DLTensor"],
        sources: &[TENSORS, include_str!("../../../templates/models/dlpack.cpp")],
    },
    ModelledLibrary {
        symbols: &[b"pthread_once", b"__cxa_guard_acquire"],
        sources: &[include_str!("../../../templates/models/once.cpp")],
    },
];

/// Models for the interpreter alone: a unit gets each of which it declares a function.
const CONCRETE: &[&str] = &[
    include_str!("../../../templates/models/getopt.cpp"),
    include_str!("../../../templates/models/stdlib.cpp"),
    include_str!("../../../templates/models/containers.cpp"),
    include_str!("../../../templates/models/strings.cpp"),
];

/// Flags like those for host code: no passes, debug information, value names kept.
const FLAGS: &[&str] = &[
    "-x",
    "c++",
    "-std=c++17",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-g",
    "-fno-discard-value-names",
    "-w",
    "-emit-llvm",
    "-c",
];

/// Folder that the debug information of models names.
pub(super) const MODELS: &str = "/scuba-models";

/// A compiler, the folder where compiled models stay if it can be written, and a temporary one.
pub(super) struct ModelCompiler<'a> {
    pub clang: &'a Path,
    pub version: &'a str,
    pub kept: Option<&'a Path>,
    pub folder: &'a Path,
    pub time: &'a TimeAllowance,
}

impl ModelCompiler<'_> {
    /// Returns the models for a unit; the error says why clang did not compile them.
    pub(super) fn models(&self, bitcode: &Path, declares: &dyn Fn(&str) -> bool) -> Result<Vec<PathBuf>, String> {
        let unit = std::fs::read(bitcode).map_err(|e| e.to_string())?;
        let uses = |name: &[u8]| unit.windows(name.len()).any(|w| w == name);
        let mut shared: Vec<&str> = vec![];
        for library in LIBRARIES.iter().filter(|l| l.symbols.iter().any(|name| uses(name))) {
            for source in library.sources {
                if !shared.contains(source) {
                    shared.push(source);
                }
            }
        }
        let replaced = |s: &str| s.split("CONCRETE(\"").skip(1).any(|n| n.split('"').next().is_some_and(declares));
        let shared = Some(shared.concat()).filter(|s| !s.is_empty());
        let alone = CONCRETE.iter().filter(|s| replaced(s)).map(|s| (*s).to_owned());
        self.each_compiled(shared.into_iter().chain(alone))
    }

    /// Compiles the models of each library, for later units.
    pub(super) fn all(&self) -> Result<(), String> {
        let shared = LIBRARIES.iter().map(|l| l.sources.concat());
        self.each_compiled(shared.chain(CONCRETE.iter().map(|s| (*s).to_owned()))).map(drop)
    }

    fn each_compiled(&self, sources: impl Iterator<Item = String>) -> Result<Vec<PathBuf>, String> {
        let all: std::io::Result<_> = sources.map(|s| self.compiled(&s)).collect();
        all.map_err(|e| format!("the models of libraries do not compile: {e}"))
    }

    /// Returns a file with the bitcode of a source, which another process may have compiled before.
    fn compiled(&self, source: &str) -> std::io::Result<PathBuf> {
        let key = blake3::hash(format!("{:?} {} {FLAGS:?} {MODELS} {source}", self.clang, self.version).as_bytes());
        let name = format!("models-{}", &key.to_hex()[..16]);
        let (from, to) = (self.folder.join(format!("{name}.cpp")), self.folder.join(format!("{name}.bc")));
        let kept = self.kept.map(|folder| (folder, folder.join(name)));
        if let Some(bitcode) = kept.as_ref().and_then(|(_, file)| store::read::<Vec<u8>>(file)) {
            std::fs::write(&to, bitcode)?;
            return Ok(to);
        }
        std::fs::write(&from, source)?;
        let files = [from.as_os_str(), "-o".as_ref(), to.as_os_str()].map(|f| f.to_string_lossy().into_owned());
        // What is kept is the same in each run.
        let folder = format!("-fdebug-prefix-map={}={MODELS}", self.folder.display());
        let arguments: Vec<String> = FLAGS.iter().map(|f| (*f).to_owned()).chain([folder]).chain(files).collect();
        invoke::clang(self.clang, &arguments, self.folder, self.time).map_err(std::io::Error::other)?;
        if let Some((folder, file)) = kept {
            // Without it the next unit compiles them again.
            let _ = store::write(folder, &file, Readers::Owner, &std::fs::read(&to)?);
        }
        Ok(to)
    }
}
