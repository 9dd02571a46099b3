//! `scuba confirm` without a GPU: a stand-in for Compute Sanitizer replays what the real one wrote on an H200
//! (`golden/README.md` says how), and one for `nvidia-smi` says that there is such a device. nvcc is real.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod auto;
mod bundles;
#[path = "../support/cache.rs"]
mod cache;
mod calls;
mod harness;
mod inputs;
mod outcomes;
mod trouble;

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/confirm")
}

/// The pinned toolkit's compiler, which `make test` installs.
fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    assert!(path.is_file(), "{} is missing: run `make test`", path.display());
    path
}

/// A project folder outside any repository, and a machine with a GPU around it.
struct Bench {
    folder: tempfile::TempDir,
}

/// Puts a driver without a device into a folder.
fn driver(folder: &Path) {
    let done = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .arg(here().join("libcuda.c"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

impl Bench {
    /// With one of `programs/`.
    fn new(program: &str) -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(bench.project()).unwrap();
        std::fs::create_dir_all(bench.tools()).unwrap();
        std::fs::copy(here().join("programs").join(program), bench.project().join(program)).unwrap();
        bench.tool("nvidia-smi", "echo 'NVIDIA H200, 580.159.04, 9.0'");
        driver(&bench.tools());
        bench
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }
    fn project(&self) -> PathBuf {
        self.root().join("project")
    }
    fn tools(&self) -> PathBuf {
        self.root().join("tools")
    }

    fn tool(&self, name: &str, script: &str) {
        let path = self.tools().join(name);
        std::fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A Compute Sanitizer that writes one file for the program itself and another for a single launch, each with
    /// `/project` replaced by where this project's sources are. It keeps the words it was called with.
    fn sanitizer(&self, program: &str, launch: &str, sources: &Path) {
        let script = format!(
            r#"
if [ "$1" = --version ]; then echo 'Version 2025.3.1.0 (build 36400806) (public-release)'; exit 0; fi
echo "$@" >>{calls}
for word; do [ "$previous" = --save ] && save=$word; previous=$word; last=$word; done
case $last in *.launch) golden={launch}; cp "$last" {kept};; *) golden={program};; esac
sed "s|/project|{sources}|g" "$golden" >"$save"
grep -q '<record>' "$save" && exit 77
exit 0"#,
            calls = self.root().join("calls").display(),
            kept = self.root().join("last.launch").display(),
            launch = here().join("golden").join(launch).display(),
            program = here().join("golden").join(program).display(),
            sources = sources.display()
        );
        self.tool("compute-sanitizer", &script);
    }

    fn calls(&self) -> Vec<String> {
        std::fs::read_to_string(self.root().join("calls")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn settings(&self, text: &str) {
        std::fs::write(self.project().join("scuba.toml"), text).unwrap();
    }

    /// `scuba` in the project's folder. Compute Sanitizer is named in scuba.toml where it is not beside nvcc.
    fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("scuba"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SCUBA_") || name == "NO_COLOR" || name == "CUDA_VISIBLE_DEVICES" {
                command.env_remove(name);
            }
        }
        let path = format!("{}:{}", self.tools().display(), std::env::var("PATH").unwrap());
        if !self.project().join("scuba.toml").exists() {
            self.settings(&format!(
                "[confirm]\ncompute_sanitizer = \"{}\"\n",
                self.tools().join("compute-sanitizer").display()
            ));
        }
        command
            .current_dir(self.project())
            .env("SCUBA_NVCC", nvcc())
            .env("SCUBA_CACHE", cache::fresh())
            .env("PATH", path)
            .stdin(Stdio::null());
        command.env("LD_LIBRARY_PATH", self.tools());
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

    /// The findings of the JSON document.
    #[track_caller]
    fn findings(&self) -> Vec<Value> {
        let document: Value = serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        document["findings"].as_array().unwrap().clone()
    }
}
