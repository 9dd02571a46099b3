//! `scuba build`'s exec interposition, on real builds with the real nvcc and on every way to execute a program.
//!
//! The shim is a script here that records how it was called and runs what it was given: these tests are about reaching it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod builds;
mod commands;
mod processes;

use scuba::nvcc::interpose::{BuildOutcome, InterposeOptions, run};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The pinned toolkit's compiler, which `make test` installs.
fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    assert!(path.is_file(), "{} is missing: run `make test`", path.display());
    path
}

struct Session {
    folder: tempfile::TempDir,
}

impl Session {
    fn new() -> Self {
        let session = Self { folder: tempfile::tempdir().unwrap() };
        // What a build may not do is lose the guard: the recording shim sets it as the real one's executions have it.
        session.script(
            "scuba-nvcc",
            &format!(
                "printf '%s\\n' \"$*\" >> '{}'\nSCUBA_INTERPOSE_GUARD=1 exec \"$@\"",
                session.path("calls").display()
            ),
        );
        session
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.write(name, &format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A program that notes its arguments and the guard, under the name of nvcc.
    fn fake_nvcc(&self) -> PathBuf {
        self.script(
            "toolkit/bin/nvcc",
            &format!("printf '%s\\n' \"$SCUBA_INTERPOSE_GUARD $*\" >> '{}'", self.path("nvcc-ran").display()),
        )
    }

    fn options(&self) -> InterposeOptions {
        InterposeOptions { shim: self.path("scuba-nvcc"), environment: Vec::new() }
    }

    fn run<S: Into<OsString> + Clone>(&self, command: &[S]) -> BuildOutcome {
        let command: Vec<OsString> = command.iter().cloned().map(Into::into).collect();
        run(&command, &self.options()).unwrap()
    }

    fn sh(&self, script: &str) -> BuildOutcome {
        self.run(&["sh", "-c", script])
    }

    /// The command lines that reached the shim.
    fn calls(&self) -> Vec<String> {
        lines(&self.path("calls"))
    }

    /// What the fake nvcc was run with.
    fn ran(&self) -> Vec<String> {
        lines(&self.path("nvcc-ran"))
    }
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Runs a command outside of any session.
fn plainly(program: &str, arguments: &[&str], directory: &Path) {
    let output = std::process::Command::new(program).args(arguments).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}
