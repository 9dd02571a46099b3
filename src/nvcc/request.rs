//! What the shim asks of the analysis: written as JSON to `scuba __analyze`'s standard input.

use super::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One nvcc (or link) command, as far as the analysis cares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub units: Vec<TranslationUnit>,
    pub link: Option<Link>,
    /// Working directory of the command, absolute.
    pub directory: PathBuf,
    /// The units were compiled by the host's own compiler: most of them concern no CUDA program, and are read when one does.
    #[serde(default)]
    pub deferred: bool,
    /// The launcher between the shim and nvcc, by its file name: a compiler cache.
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
/// [`Request::units`], not here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub kind: LinkKind,
    /// Absolute.
    pub output: PathBuf,
    /// Absolute, in command-line order; `-lNAME` resolved through `-L` where found.
    pub inputs: Vec<PathBuf>,
}
