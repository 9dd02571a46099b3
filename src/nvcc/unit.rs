//! Compile command of one translation unit: the typed result of parsing nvcc's command line, with all that the front
//! ends need to know of it.

use super::arch::DeviceCompilation;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    Cuda,
    Cxx,
    C,
}

/// A preprocessor flag; order matters among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PreprocessorFlag {
    /// `NAME` or `NAME=VALUE`.
    Define(String),
    Undefine(String),
    /// `-I`.
    Include(PathBuf),
    /// `-isystem`.
    SystemInclude(PathBuf),
    /// `-include FILE` / `--pre-include`.
    PreInclude(PathBuf),
}

/// Halves of the unit that the command compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sides {
    Both,
    DeviceOnly,
    HostOnly,
}

/// A source of a compile command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranslationUnit {
    /// Path as on the command line; relative to `directory`.
    pub source: PathBuf,
    /// Absolute working directory of the command.
    pub directory: PathBuf,
    pub language: Language,
    /// Absolute path of the file that the command writes for this source (object, PTX, …); `None` if no such file is
    /// kept (compile and link in one command: then the key of the facts still distinguishes units).
    pub output: Option<PathBuf>,
    pub preprocessor: Vec<PreprocessorFlag>,
    /// `c++17`, without dashes.
    pub standard: Option<String>,
    /// Requested compute capabilities (`80` for `sm_80`/`compute_80`), in order of the command line; empty: nvcc's
    /// default.
    pub architectures: Vec<u32>,
    /// Compilations of the device code, in order of the command line; empty: one, for nvcc's default.
    pub compiled: Vec<DeviceCompilation>,
    /// `-ccbin`.
    pub host_compiler: Option<PathBuf>,
    /// Values of `-Xcompiler`, split at commas, and flags forwarded to the host compiler.
    pub host_flags: Vec<String>,
    pub sides: Sides,
    /// Whether device code is relocatable: `-rdc=true` and `-dc` set this, `-rdc=false` and `-dw` clear it, and `-dlto`
    /// sets it whatever else is given.
    pub relocatable: bool,
    /// Flags that change the language, in nvcc's long spelling: `--extended-lambda`, `--expt-relaxed-constexpr`,
    /// `--use_fast_math`, `--default-stream X` … as given.
    pub language_flags: Vec<String>,
    /// Absolute path of the real nvcc; `None` in `scuba check` without one.
    pub nvcc: Option<PathBuf>,
    /// The whole command as run, for the record and for the facts' key.
    pub command: Vec<String>,
}

impl TranslationUnit {
    /// Returns a unit that is compiled from a folder with no flags: both sides, for nvcc's default device, without an output.
    #[must_use]
    pub fn plain(source: PathBuf, directory: PathBuf, language: Language) -> Self {
        Self {
            source,
            directory,
            language,
            output: None,
            preprocessor: vec![],
            standard: None,
            architectures: vec![],
            compiled: vec![],
            host_compiler: None,
            host_flags: vec![],
            sides: Sides::Both,
            relocatable: false,
            language_flags: vec![],
            nvcc: None,
            command: vec![],
        }
    }
}
