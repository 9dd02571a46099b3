//! cgeist's command line for a unit.

use super::process::joined;
use super::root::Root;
use crate::frontend::paths::normalise;
use crate::nvcc::unit::{PreprocessorFlag, TranslationUnit};
use std::ffi::OsString;

/// A command line.
pub struct Arguments {
    pub arguments: Vec<OsString>,
    pub arch: String,
    pub notes: Vec<String>,
}

/// The newest architecture that LLVM 17 compiles for; later ones are read as this one.
const NEWEST: u32 = 90;

/// cgeist's flags. `--immediate` gives its reading before its own optimiser, which deletes kernels, buffers and accesses.
#[must_use]
pub fn arguments(unit: &TranslationUnit, root: &Root, without_ndebug: bool) -> Arguments {
    let mut notes = vec![];
    let mut a: Vec<OsString> =
        vec![unit.source.clone().into(), "-S".into(), "--function=*".into(), "--immediate".into()];
    let lowest = unit.architectures.iter().copied().min().unwrap_or(75);
    let arch = format!("sm_{}", lowest.min(NEWEST));
    if lowest > NEWEST {
        notes.push(format!("cgeist reads sm_{lowest} as {arch}"));
    }
    a.push(format!("--cuda-gpu-arch={arch}").into());
    if let Some(r) = &root.path {
        a.push(joined("--cuda-path=", r));
    }
    if let Some(s) = &unit.standard {
        a.push(format!("-std={s}").into());
    }
    for f in &unit.preprocessor {
        match f {
            PreprocessorFlag::Define(d) if without_ndebug && d.split('=').next() == Some("NDEBUG") => {}
            PreprocessorFlag::Define(d) => a.push(format!("-D{d}").into()),
            PreprocessorFlag::Undefine(d) => notes.push(format!("cgeist cannot be told to undefine `{d}`")),
            // It has no flag for system folders.
            PreprocessorFlag::Include(p) | PreprocessorFlag::SystemInclude(p) => {
                let folder = normalise(&unit.directory, p);
                // CMake names the toolkit's own headers, which would hide those that were named for cgeist.
                if !root.replaces(&folder) {
                    a.push(joined("-I", folder));
                }
            }
            PreprocessorFlag::PreInclude(p) => {
                a.push("-include".into());
                a.push(normalise(&unit.directory, p).into());
            }
        }
    }
    Arguments { arguments: a, arch, notes }
}
