//! cgeist's command line for a unit.

use super::process::joined;
use super::root::CudaRoot;
use files::normalise;
use frontend::clang::flags::nvcc_macros;
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A cgeist command line.
pub struct CgeistArguments {
    pub arguments: Vec<OsString>,
    pub arch: String,
    pub notes: Vec<String>,
}

/// Newest architecture that LLVM 17 compiles for; later ones are read as this one.
const NEWEST: u32 = 90;

/// nvcc's default standard from 12.0 on (its manual, `--std`): that of clang before LLVM 16 is older.
const DEFAULT_STANDARD: &str = "c++17";

/// Returns the macro that a flag defines.
fn defined_by(flag: &OsStr) -> Option<&str> {
    flag.to_str()?.strip_prefix("-D")?.split('=').next()
}

/// Builds cgeist's flags. `shields`: a folder of headers that precede all others. `--immediate` prints its reading
/// before its own optimiser, which deletes kernels, buffers and accesses.
#[must_use]
pub fn arguments(
    unit: &TranslationUnit,
    root: &CudaRoot,
    shields: Option<&Path>,
    without_ndebug: bool,
) -> CgeistArguments {
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
    // cgeist chooses the language by file name, as clang does: nvcc may be told otherwise (`-x cu`).
    if unit.source.extension().is_none_or(|e| e != "cu") {
        a.extend(["-x".into(), "cuda".into()]);
    }
    a.push(format!("-std={}", unit.standard.as_deref().unwrap_or(DEFAULT_STANDARD)).into());
    if let Some(s) = shields {
        a.push(joined("-I", s));
    }
    // Sources that test a version must see that of these headers.
    let version = root.version.map_or((0, 0, 0), |(major, minor)| (major, minor, 0));
    a.extend(nvcc_macros(unit, version).into_iter().map(OsString::from));
    for f in &unit.preprocessor {
        match f {
            PreprocessorFlag::Define(d) if without_ndebug && d.split('=').next() == Some("NDEBUG") => {}
            PreprocessorFlag::Define(d) => a.push(format!("-D{d}").into()),
            PreprocessorFlag::Undefine(d) => {
                let before = a.len();
                a.retain(|f| defined_by(f) != Some(d));
                if a.len() == before {
                    notes.push(format!("cgeist cannot undefine `{d}`"));
                }
            }
            // cgeist has no flag for system folders.
            PreprocessorFlag::Include(p) | PreprocessorFlag::SystemInclude(p) => {
                let folder = normalise(&unit.directory, p);
                // CMake names the toolkit's own headers, which would hide those chosen for cgeist.
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
    CgeistArguments { arguments: a, arch, notes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvcc::command::{Environment, NvccCommand};

    fn of(words: &[&str], root: &CudaRoot) -> (String, Vec<String>) {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let folder = Path::new("/p");
        let plan = NvccCommand::read(&words, &Environment::default(), folder).plan(folder, None, &Vec::new).unwrap();
        let made = arguments(&plan.request.units[0], root, None, false);
        let words: Vec<String> = made.arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
        (format!(" {} ", words.join(" ")), made.notes)
    }

    #[test]
    fn what_nvcc_takes_for_granted_is_said() {
        let mut root = CudaRoot::default();
        root.version = Some((12, 1));
        let (plain, _) = of(&["-c", "a.cu"], &root);
        for flag in ["-std=c++17", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=1"] {
            assert!(plain.contains(&format!(" {flag} ")), "{flag}: {plain}");
        }
        assert!(!plain.contains(" -x "), "{plain}");
        let (other, _) = of(&["-x", "cu", "-std=c++20", "--extended-lambda", "-c", "a.cpp"], &root);
        for flag in ["-x cuda", "-std=c++20", "-D__CUDACC_EXTENDED_LAMBDA__"] {
            assert!(other.contains(&format!(" {flag} ")), "{flag}: {other}");
        }
        assert!(!other.contains("c++17"), "{other}");
    }

    #[test]
    fn what_is_undefined_again_is_not_defined() {
        let root = CudaRoot::default();
        let (flags, notes) = of(&["-DA=1", "-DAB", "-UA", "-c", "a.cu"], &root);
        assert!(!flags.contains("-DA=1") && flags.contains(" -DAB ") && notes.is_empty(), "{flags} {notes:?}");
        let (_, notes) = of(&["-U__linux__", "-c", "a.cu"], &root);
        assert_eq!(notes, ["cgeist cannot undefine `__linux__`"]);
    }
}
