//! C++ models of libraries, compiled together with a unit that uses one.
//!
//! In: the bitcode of a unit's host side. Out: bitcode of the models for each library whose names occur in it, by the
//! same clang.

use super::invoke;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Modelled libraries: substrings of a unit's symbols, and the sources of the models.
struct ModelledLibrary {
    symbols: &'static [&'static [u8]],
    sources: &'static [&'static str],
}

/// Tensors, on which the models of several libraries build.
const TENSORS: &str = include_str!("../../../templates/models/aten.cpp");

const LIBRARIES: &[ModelledLibrary] = &[
    ModelledLibrary {
        symbols: &[b"2at10TensorBase", b"5torch6stable6Tensor", b"AtenTensorOpaque"],
        sources: &[TENSORS, include_str!("../../../templates/models/stable.cpp")],
    },
    ModelledLibrary {
        symbols: &[b"8nanobind7ndarray", b"3tvm3ffi10TensorView", b"3tvm3ffi6Tensor", b"8DLTensor"],
        sources: &[TENSORS, include_str!("../../../templates/models/dlpack.cpp")],
    },
    ModelledLibrary { symbols: &[b"pthread_once"], sources: &[include_str!("../../../templates/models/once.cpp")] },
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

/// Compiles the models for a unit; the error says why clang did not compile them.
pub(super) fn compiled(clang: &Path, bitcode: &Path, folder: &Path, deadline: Instant) -> Result<Vec<PathBuf>, String> {
    let unit = std::fs::read(bitcode).map_err(|e| e.to_string())?;
    let uses = |name: &[u8]| unit.windows(name.len()).any(|w| w == name);
    let mut used: Vec<&str> = vec![];
    for library in LIBRARIES.iter().filter(|l| l.symbols.iter().any(|name| uses(name))) {
        for source in library.sources {
            if !used.contains(source) {
                used.push(source);
            }
        }
    }
    if used.is_empty() {
        return Ok(vec![]);
    }
    let (from, to) = (folder.join("models.cpp"), folder.join("models.bc"));
    std::fs::write(&from, used.concat()).map_err(|e| format!("cannot write {}: {e}", from.display()))?;
    let mut arguments: Vec<String> = FLAGS.iter().map(|f| (*f).to_owned()).collect();
    arguments.extend([from.display().to_string(), "-o".into(), to.display().to_string()]);
    invoke::clang(clang, &arguments, folder, deadline)
        .map_err(|e| format!("the models of libraries do not compile: {e}"))?;
    Ok(vec![to])
}
