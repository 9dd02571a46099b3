//! A command that the build executed: the log records these, and links and compilations are read from them.

use std::ffi::OsString;
use std::path::PathBuf;

/// A command that the build executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExecutedCommand {
    /// Absolute working directory of the process that executed it; empty if unknown.
    pub directory: PathBuf,
    /// Executed file, as found in `PATH`; relative to `directory` if the caller gave it so.
    pub program: PathBuf,
    /// Arguments, the program's own name first.
    pub arguments: Vec<OsString>,
}
