//! A command line understood, in one call.
//!
//! In: nvcc's arguments. Out: a [`Plan`]. For the shim and for whoever reads compile commands without running them
//! (`scuba check FILE -- FLAGS`, `compile_commands.json`).

use super::arch::Asked;
use super::expand;
use super::parse::{self, CommandLine};
use super::plan::{self, Setting};
use std::ffi::OsString;
use std::path::Path;

pub use super::expand::Environment;
pub use super::plan::Plan;

/// nvcc's arguments, read.
pub struct Command {
    words: Vec<OsString>,
    line: CommandLine,
}

impl Command {
    /// `arguments` are those behind nvcc's own name; relative options files are sought in `directory`. Any arguments are read.
    pub fn read(arguments: &[OsString], environment: &Environment, directory: &Path) -> Command {
        let words = expand::expand(arguments, environment, directory);
        let line = parse::parse(&words, &environment.host_compiler);
        Command { words, line }
    }

    /// What to analyse; `None` when the command compiles and links nothing that concerns us (`-E`, `-M`, `--version`, …).
    ///
    /// `directory` is absolute. `native` gives the compute capabilities of this machine's GPUs (86 for 8.6), for `-arch=native`.
    pub fn plan(&self, directory: &Path, nvcc: Option<&Path>, native: &dyn Fn() -> Vec<u32>) -> Option<Plan> {
        plan::plan(&self.line, &Setting { directory, nvcc, words: &self.words, native })
    }

    /// Whether `-arch=native` is among the architectures, so that the answer of [`Command::plan`]'s `native` matters.
    pub fn asks_native(&self) -> bool {
        self.line.architectures.contains(&Asked::Native)
    }

    /// Whether CMake, autoconf or Meson only wants to know what the compiler is.
    pub fn is_probe(&self, directory: &Path) -> bool {
        plan::is_probe(&self.line, directory)
    }

    /// Flags that are not in the table and not forwarded either.
    pub fn unknown_flags(&self) -> &[OsString] {
        &self.line.unknown
    }
}
