//! A process that outlives this one: where we are killed without being able to clean up (SIGKILL), it ends what still runs.
//!
//! In: the folders that runs use. Out: nothing, as long as we live. A death signal of the kernel reaches Compute Sanitizer, which
//! is our child, but not the program, which is a child of Compute Sanitizer; all that descends from our runs has their mark,
//! however ([`super::process`]).

use super::process;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The hidden command of `scuba` that watches.
pub const COMMAND: &str = "__watch";

/// Lives as long as there is something to be watched.
#[derive(Debug)]
pub struct Watch {
    child: Child,
    folders: ChildStdin,
}

impl Watch {
    /// `None` where it cannot be started: what would be left then ends when its own time is up.
    pub fn start() -> Option<Self> {
        let mut command = Command::new(std::env::current_exe().ok()?);
        // What ends our process group is not to end it, and nobody is to wait for what it might print.
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

    /// Names a folder that is to go with us.
    pub fn note(&mut self, folder: &Path) {
        // Where the other side is gone, there is nobody to tell.
        let _ = self.folders.write_all(&[folder.as_os_str().as_bytes(), b"\0"].concat());
    }
}

impl Drop for Watch {
    /// Nothing is left to be watched.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What it does: waits for the end of process `of`, which is that of standard input, and clears up behind it.
pub fn run(of: u32) {
    let mut told = Vec::new();
    // An end is an end, however it comes.
    let _ = std::io::stdin().lock().read_to_end(&mut told);
    process::end_runs_of(of);
    // What is not whole is no name of a folder.
    let whole = told.iter().rposition(|b| *b == 0).unwrap_or(0);
    for folder in told[..whole].split(|b| *b == 0).filter(|f| !f.is_empty()) {
        let _ = std::fs::remove_dir_all(Path::new(OsStr::from_bytes(folder)));
    }
}
