//! Requests to a front end and its results.

use super::checks::CheckRequest;
use base::cpu_time::TimeLimit;
use config::FrontendKind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Limits and tools of one extraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractOptions {
    /// The clang to run: `[frontend] clang`, else the installation's, else `clang++-22`. A name is searched in `PATH`.
    pub clang: PathBuf,
    /// Time for each side of one translation unit (`limits.tu_seconds`).
    pub time_limit: TimeLimit,
    /// Address space of each process, in bytes (`limits.memory`).
    pub memory_limit: u64,
    /// Further flags for clang, after all others (`[frontend] extra flags`).
    pub extra_flags: Vec<String>,
    /// Toolkit root where the unit names no nvcc.
    pub cuda_path: Option<PathBuf>,
    /// Checks to insert into the code of the device side, besides reading it.
    pub checks: Option<CheckRequest>,
    /// Front ends that read the unit.
    pub kind: FrontendKind,
    /// The cgeist to run (`SCUBA_CGEIST`, `[frontend] cgeist`); `None`: the one in `PATH`, if any.
    pub cgeist: Option<PathBuf>,
    /// The CUDA toolkit whose headers cgeist reads (`SCUBA_CGEIST_CUDA`, `[frontend] cgeist_cuda`); `None`: the unit's own.
    pub cgeist_cuda: Option<PathBuf>,
    /// Folder for precompiled headers; `None`: none are used.
    pub headers: Option<PathBuf>,
    /// Headers that are precompiled.
    pub precompile: Precompile,
    /// Whether the sides of a unit are read one after the other: beside nvcc a command has one job, and the memory of one.
    pub one_side_at_a_time: bool,
    /// The worker binary; `None`: `scuba-extract` beside the running executable.
    pub worker: Option<PathBuf>,
}

/// Headers that are precompiled while a unit is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precompile {
    /// Headers that save time in the same build.
    #[default]
    Needed,
    /// The same; requests for headers that later builds lack are recorded beside them.
    Recorded,
    /// Headers that the source begins with, at once, and the models of libraries, for later units.
    Ahead,
    /// Headers that the source begins with; the unit is not read.
    Alone,
}

impl Precompile {
    /// Whether all headers that a source begins with are made at once.
    #[must_use]
    pub const fn is_at_once(self) -> bool {
        matches!(self, Self::Ahead | Self::Alone)
    }
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            clang: super::bundled::clang(),
            time_limit: TimeLimit::of(Duration::from_secs(60)),
            memory_limit: 4 << 30,
            extra_flags: vec![],
            cuda_path: None,
            checks: None,
            kind: FrontendKind::Clang,
            cgeist: None,
            cgeist_cuda: None,
            headers: None,
            precompile: Precompile::default(),
            one_side_at_a_time: false,
            worker: None,
        }
    }
}

/// A side of a translation unit that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSide {
    /// Absolute path.
    pub file: PathBuf,
    pub side: ir::Side,
    /// Reason in one line; clang's first error if it rejected the source.
    pub reason: String,
}

/// Result of a front end for one translation unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Extraction {
    /// Modules, at most one per side, the device side first.
    pub modules: Vec<ir::Module>,
    pub not_analysed: Vec<FailedSide>,
    /// Every file that was read, as absolute paths: the source first, the others sorted.
    pub dependencies: Vec<PathBuf>,
    /// Front end and version, e.g. `clang 22.1.8`.
    pub frontend: String,
    /// Lines for the log: which architecture was analysed in place of which, and omissions.
    pub notes: Vec<String>,
    /// Second reading of the same unit by another front end, if one is installed.
    pub second: Option<ComparedModules>,
}

/// Modules that are only compared with the first reading's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ComparedModules {
    pub modules: Vec<ir::Module>,
    /// Front end and version, e.g. `cgeist 17.0.6`.
    pub frontend: String,
    pub notes: Vec<String>,
}

impl Extraction {
    /// Whether a side was read without its command's `NDEBUG`: results that rest on an `assert` are assumptions then.
    #[must_use]
    pub fn asserts_restored(&self) -> bool {
        self.modules.iter().any(|m| m.asserts_restored)
    }
}

/// Reason why there is no extraction at all.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    #[error("cannot run the front end {worker}: {message}")]
    Spawn { worker: PathBuf, message: String },
    #[error("{file}: the front end took longer than {seconds} s (limits.tu_seconds)")]
    TimedOut { file: PathBuf, seconds: u64 },
    #[error("{file}: the front end crashed ({how}){detail}")]
    Crashed { file: PathBuf, how: String, detail: String },
    #[error(
        "{file}: the front end's answer cannot be read: {message}; are `scuba` and `scuba-extract` of one version?"
    )]
    Answer { file: PathBuf, message: String },
}
