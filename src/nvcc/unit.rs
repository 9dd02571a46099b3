//! What a compile command says about one translation unit: the typed result of parsing nvcc's command line,
//! and all that the front ends need to know of it.

use super::arch::Compiled;
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

/// Which halves of the unit the command compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sides {
    Both,
    DeviceOnly,
    HostOnly,
}

/// One source of one compile command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranslationUnit {
    /// As given on the command line; relative to `directory`.
    pub source: PathBuf,
    /// Working directory of the command, absolute.
    pub directory: PathBuf,
    pub language: Language,
    /// The file the command writes for this source (object, PTX, …), absolute; `None` where nothing is kept
    /// (compile and link in one command: then `key` still tells units apart).
    pub output: Option<PathBuf>,
    pub preprocessor: Vec<PreprocessorFlag>,
    /// `c++17`, without dashes.
    pub standard: Option<String>,
    /// Compute capabilities asked for (`80` for `sm_80`/`compute_80`), in order of the command line; empty: nvcc's default.
    pub architectures: Vec<u32>,
    /// Each compilation of the device code, in order of the command line; empty: one, for nvcc's default.
    pub compiled: Vec<Compiled>,
    /// `-ccbin`.
    pub host_compiler: Option<PathBuf>,
    /// Values of `-Xcompiler`, split at commas, and flags forwarded to the host compiler.
    pub host_flags: Vec<String>,
    pub sides: Sides,
    /// `-rdc=true`, `-dc`, `-dw`.
    pub relocatable: bool,
    /// `--extended-lambda`, `--expt-relaxed-constexpr`, `--use_fast_math`, `--default-stream X` … as given:
    /// what changes the language, in nvcc's long spelling.
    pub language_flags: Vec<String>,
    /// The real nvcc, absolute; `None` in `scuba check` without one.
    pub nvcc: Option<PathBuf>,
    /// The whole command as run, for the record and for the facts' key.
    pub command: Vec<String>,
}
