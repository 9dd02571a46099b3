//! Parser and planner of a command line, in one call.
//!
//! In: nvcc's arguments. Out: a [`ShimPlan`]. Used by the shim, and by callers that read compile commands without running
//! them (`scuba check FILE -- FLAGS`, `compile_commands.json`).

use super::arch::ArchitectureRequest;
use super::expand;
use super::parse::{self, CommandLine};
use super::plan::{self, CommandEnvironment};
use std::ffi::OsString;
use std::path::Path;

pub use super::expand::Environment;
pub use super::plan::ShimPlan;

/// Parsed arguments of nvcc.
pub struct NvccCommand {
    words: Vec<OsString>,
    line: CommandLine,
}

impl NvccCommand {
    /// Parses the arguments after nvcc's own name; relative options files are searched in `directory`. Accepts any
    /// arguments.
    pub fn read(arguments: &[OsString], environment: &Environment, directory: &Path) -> NvccCommand {
        let words = expand::expand(arguments, environment, directory);
        let line = parse::parse(&words, &environment.host_compiler);
        NvccCommand { words, line }
    }

    /// Plans the analysis; `None` if the command compiles and links nothing that SCuBA analyses (`-E`, `-M`,
    /// `--version`, …).
    ///
    /// `directory` is absolute. `native` returns the compute capabilities of this machine's GPUs (86 for 8.6), for
    /// `-arch=native`.
    pub fn plan(&self, directory: &Path, nvcc: Option<&Path>, native: &dyn Fn() -> Vec<u32>) -> Option<ShimPlan> {
        plan::plan(&self.line, &CommandEnvironment { directory, nvcc, words: &self.words, native })
    }

    /// Whether `-arch=native` is among the architectures, so that [`NvccCommand::plan`] calls `native`.
    pub fn asks_native(&self) -> bool {
        self.line.architectures.contains(&ArchitectureRequest::Native)
    }

    /// Whether CMake, autoconf or Meson runs the command only to identify the compiler.
    pub fn is_probe(&self, directory: &Path) -> bool {
        plan::is_probe(&self.line, directory)
    }

    /// Returns the flags that are neither in the table nor forwarded.
    pub fn unknown_flags(&self) -> &[OsString] {
        &self.line.unknown
    }
}
