//! What is asked of a front end and what comes back.

use config::FrontendKind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Limits and tools of one extraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractOptions {
    /// The clang to run: `[frontend] clang`, else the one that the installation brought along, else `clang++-22`. A name is sought in `PATH`.
    pub clang: PathBuf,
    /// Wall-clock time for one translation unit, both sides together (`limits.tu_seconds`).
    pub time_limit: Duration,
    /// Address space of each process, in bytes (`limits.memory`).
    pub memory_limit: u64,
    /// More flags for clang, after all others (`[frontend] extra flags`).
    pub extra_flags: Vec<String>,
    /// Toolkit root, where the unit names no nvcc.
    pub cuda_path: Option<PathBuf>,
    /// Where to keep the bitcode of the device side; `None`: nowhere.
    pub keep_device_code: Option<PathBuf>,
    /// Which front ends read the unit.
    pub kind: FrontendKind,
    /// The cgeist to run (`SCUBA_CGEIST`, `[frontend] cgeist`); `None`: the one in `PATH`, if any.
    pub cgeist: Option<PathBuf>,
    /// The CUDA toolkit whose headers cgeist reads (`SCUBA_CGEIST_CUDA`, `[frontend] cgeist_cuda`); `None`: the unit's own.
    pub cgeist_cuda: Option<PathBuf>,
    /// A folder for precompiled headers; `None`: there are none.
    pub headers: Option<PathBuf>,
    /// The worker binary; `None`: `scuba-extract` beside the running executable.
    pub worker: Option<PathBuf>,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            clang: super::bundled::clang(),
            time_limit: Duration::from_secs(60),
            memory_limit: 4 << 30,
            extra_flags: vec![],
            cuda_path: None,
            keep_device_code: None,
            kind: FrontendKind::Clang,
            cgeist: None,
            cgeist_cuda: None,
            headers: None,
            worker: None,
        }
    }
}

/// A side of a translation unit that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotAnalysed {
    /// Absolute.
    pub file: PathBuf,
    pub side: ir::Side,
    /// One line; clang's first error where it refused the source.
    pub reason: String,
}

/// What a front end makes of one translation unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Extraction {
    /// At most one per side, the device side first.
    pub modules: Vec<ir::Module>,
    pub not_analysed: Vec<NotAnalysed>,
    /// Every file that was read, the source first; absolute, sorted otherwise.
    pub dependencies: Vec<PathBuf>,
    /// `clang 22.1.8`.
    pub frontend: String,
    /// For the log: which architecture stands for which, what was left out.
    pub notes: Vec<String>,
    /// What another front end makes of the same unit, where one is installed.
    pub second: Option<SecondReading>,
}

/// Modules that are compared with the first reading's, and used for nothing else.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SecondReading {
    pub modules: Vec<ir::Module>,
    /// `cgeist 17.0.6`.
    pub frontend: String,
    pub notes: Vec<String>,
}

impl Extraction {
    /// Whether a side was read without the `NDEBUG` of its command: what rests on an `assert` is assumed.
    #[must_use]
    pub fn asserts_restored(&self) -> bool {
        self.modules.iter().any(|m| m.asserts_restored)
    }
}

/// Why there is no extraction at all.
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
