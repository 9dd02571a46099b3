//! The `scuba` command as users meet it: exit statuses, which stream says what, and messages that name the culprit.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod alignment;
mod arguments;
mod assume;
mod basics;
mod book;
#[path = "../support/cache.rs"]
mod cache;
mod callers;
mod check_lists;
mod checks;
mod ci_templates;
mod classes;
mod contracts;
mod dlpack;
mod doubts;
mod entry_pointers;
mod extremes;
mod facts;
mod faults;
mod filled_tensors;
mod findings;
mod formats;
mod headers;
mod init;
mod inside;
mod installed;
mod layouts;
mod lsp;
mod narrowed;
mod operators;
mod optionals;
mod pull_requests;
mod quadruple;
mod readings;
mod refusals;
mod registries;
mod remote;
mod remote_stores;
mod schemas;
mod scope;
mod shards;
mod slips;
mod slurm;
mod spellings;
mod stats;
mod structures;
mod tensors;
mod told;
mod undecided;
mod views;
mod warm;
mod wrappers;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The pinned toolkit's compiler, which `make test` installs.
fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    assert!(path.is_file(), "{} is missing: run `make test`", path.display());
    path
}

/// The command under test.
fn scuba() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("scuba").to_path_buf()
}

/// A project folder of its own, outside any repository.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// `scuba` in the project's folder, without settings of the machine that runs the tests.
    fn command(&self) -> Command {
        let mut command = Command::new(scuba());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SCUBA_") || name == "NO_COLOR" {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.root())
            .env("SCUBA_NVCC", nvcc())
            .env("SCUBA_CACHE", cache::fresh())
            .stdin(Stdio::null());
        command
    }

    fn scuba<const N: usize>(&self, arguments: [&str; N]) -> Said {
        self.command().args(arguments).output().unwrap().into()
    }
}

/// What a command said.
#[derive(Debug)]
struct Said {
    status: i32,
    out: String,
    err: String,
}

impl From<Output> for Said {
    fn from(o: Output) -> Self {
        Self {
            status: o.status.code().unwrap_or(-1),
            out: String::from_utf8(o.stdout).unwrap(),
            err: String::from_utf8(o.stderr).unwrap(),
        }
    }
}

impl Said {
    #[track_caller]
    fn status(self, expected: i32) -> Self {
        assert_eq!(self.status, expected, "{self:?}");
        self
    }
}

/// A program without accesses out of bounds.
const SAFE: &str = "\
#include <cstdlib>
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
";

/// The same without its guard.
fn buggy() -> String {
    SAFE.replace("if (i < n) a[i] = 1.0f;", "a[i] = 1.0f;")
}
