//! A command as the build executed it: what the log records, and what links and compilations are read from.

use std::ffi::OsString;
use std::path::PathBuf;

/// A command that the build executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Execution {
    /// Working directory of whoever executed it, absolute; empty where it could not be told.
    pub directory: PathBuf,
    /// The file executed, as found in `PATH`; relative to `directory` where the caller gave it so.
    pub program: PathBuf,
    /// With the program's own name first.
    pub arguments: Vec<OsString>,
}
