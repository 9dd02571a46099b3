//! A watching process that outlives this one: if this process is killed without a chance to clean up (SIGKILL), it
//! kills what still runs.
//!
//! In: the folders of runs. Out: nothing, while this process lives. The kernel's parent-death signal reaches Compute
//! Sanitizer, which is our child, but not the program, which is a child of Compute Sanitizer. All descendants of our
//! runs have their mark, however ([`super::process`]).

use super::process;
use base::own_program;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Hidden command of `scuba` that watches.
pub const COMMAND: &str = "__watch";

/// Handle of the watching process, which lives as long as something is to be watched.
#[derive(Debug)]
pub struct WatchHandle {
    child: Child,
    folders: ChildStdin,
}

impl WatchHandle {
    /// Starts the process. `None` if that is impossible: leftover processes then end at their own time limits.
    pub fn start() -> Option<Self> {
        let mut command = Command::new(own_program::path().ok()?);
        // It must survive the end of our process group, and nobody must wait for its output.
        command
            .arg(COMMAND)
            .arg(std::process::id().to_string())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let folders = child.stdin.take()?;
        Some(Self { child, folders })
    }

    /// Registers a folder to remove when this process ends.
    pub fn note(&mut self, folder: &Path) {
        // If the other side is gone, the message is lost.
        let _ = self.folders.write_all(&[folder.as_os_str().as_bytes(), b"\0"].concat());
    }
}

impl Drop for WatchHandle {
    /// Kills the watching process, because nothing is left to watch.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Body of the watching process: waits for the end of process `of`, which closes standard input, and then cleans up.
pub fn run(of: u32) {
    let mut told = Vec::new();
    // A read error counts as the end, too.
    let _ = std::io::stdin().lock().read_to_end(&mut told);
    process::end_runs_of(of);
    // An incomplete name is no folder name.
    let whole = told.iter().rposition(|b| *b == 0).unwrap_or(0);
    for folder in told[..whole].split(|b| *b == 0).filter(|f| !f.is_empty()) {
        let _ = std::fs::remove_dir_all(Path::new(OsStr::from_bytes(folder)));
    }
}
