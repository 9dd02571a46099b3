//! Request of the shim to the analysis: written as JSON to the standard input of `scuba __analyze`.

use super::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The parts of one nvcc (or link) command that concern the analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysisRequest {
    pub units: Vec<TranslationUnit>,
    pub link: Option<Link>,
    /// Absolute working directory of the command.
    pub directory: PathBuf,
    /// Whether the host's own compiler compiled the units: most of them concern no CUDA program, and are read when one
    /// does.
    #[serde(default)]
    pub deferred: bool,
    /// File name of the launcher between the shim and nvcc: a compiler cache.
    #[serde(default)]
    pub launcher: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkKind {
    Executable,
    SharedLibrary,
    Archive,
    DeviceLink,
    Relocatable,
}

/// Objects, archives and libraries that become one file. Sources compiled by the same command are in
/// [`AnalysisRequest::units`], not here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub kind: LinkKind,
    /// Absolute path.
    pub output: PathBuf,
    /// Absolute paths, in command-line order; `-lNAME` is resolved through `-L` if found.
    pub inputs: Vec<PathBuf>,
}
