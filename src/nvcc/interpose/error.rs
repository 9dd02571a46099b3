//! Reasons why a build could not run under interposition.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum InterposeError {
    #[error("no build command was given: `scuba build -- make`, for instance")]
    NoCommand,
    #[error("the build command `{}` was not found: {reason}", command.display())]
    CommandNotFound { command: PathBuf, reason: which::Error },
    #[error("the build command `{}` could not be started: {source}", command.display())]
    NotStarted { command: PathBuf, source: io::Error },
    #[error("cannot wait for the build command `{}`: {source}", command.display())]
    Wait { command: PathBuf, source: io::Error },
    #[error("cannot install signal handlers: {source}")]
    Signals { source: io::Error },
    #[error("the shim {} is not an executable file; `scuba-nvcc` is expected beside `scuba`", path.display())]
    NoShim { path: PathBuf },
    #[error(
        "the library to preload could not be written to any of {folders}: {source}; set TMPDIR to a folder that allows execution and whose name has neither blank nor colon"
    )]
    NoLibrary { folders: String, source: io::Error },
    #[error("the session's log {} could not be {doing}: {source}", path.display())]
    Log { path: PathBuf, doing: &'static str, source: io::Error },
}

impl InterposeError {
    /// Whether the build command itself could still run: nothing was started, and the command is not at fault.
    #[must_use]
    pub fn hinders_only_the_analysis(&self) -> bool {
        match self {
            Self::NoLibrary { .. } | Self::NoShim { .. } | Self::Signals { .. } => true,
            Self::Log { doing, .. } => *doing == "created",
            Self::NoCommand | Self::CommandNotFound { .. } | Self::NotStarted { .. } | Self::Wait { .. } => false,
        }
    }
}
