//! A copy of one of the projects here, and the ways to build it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The pinned toolkit's compiler, which `make test` installs.
pub fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    assert!(path.is_file(), "{} is missing: run `make test`", path.display());
    path
}

pub fn shim() -> PathBuf {
    env!("CARGO_BIN_EXE_scuba-nvcc").into()
}

/// How a project is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Make,
    CMakeNinja,
    CMakeMake,
}

/// The bug of `filter`: its second program allocates no room for the padding.
pub const GOOD: &str = "allocate(padded(n))";
pub const BAD: &str = "allocate(n)";

/// A copy of a project of ours in a folder of its own.
pub struct Project {
    folder: tempfile::TempDir,
    cached: bool,
}

impl Project {
    pub fn new(name: &str) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap(), cached: false };
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects").join(name);
        copy(&from, &project.root());
        project
    }

    /// With a cache in its folder.
    pub fn cached(self) -> Self {
        Self { cached: true, ..self }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root().join(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no `{from}`");
        self.write(name, &text.replace(from, to));
    }

    /// A program in the project's folder, without settings of the machine that runs the tests.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if ["SCUBA_", "NVCC_", "CMAKE_", "CUDA"].iter().any(|prefix| name.starts_with(prefix))
                || matches!(
                    &*name,
                    "MAKEFLAGS"
                        | "MFLAGS"
                        | "CARGO_MAKEFLAGS"
                        | "CC"
                        | "CXX"
                        | "CFLAGS"
                        | "CXXFLAGS"
                        | "LDFLAGS"
                        | "NO_COLOR"
                )
            {
                command.env_remove(&*name);
            }
        }
        command.current_dir(self.root()).env("SCUBA_NVCC", nvcc()).stdin(Stdio::null());
        command.env("SCUBA_CACHE", if self.cached { self.root().join("cache") } else { crate::cache::fresh() });
        command
    }

    pub fn scuba(&self, arguments: &[&str]) -> Said {
        self.command(env!("CARGO_BIN_EXE_scuba")).args(arguments).output().unwrap().into()
    }

    /// The folder in which a way of building leaves programs and facts.
    pub fn build_folder(&self, way: Way) -> PathBuf {
        match way {
            Way::Make => self.root(),
            Way::CMakeNinja => self.root().join("ninja"),
            Way::CMakeMake => self.root().join("make"),
        }
    }

    /// Configures where that is needed, and builds. `defines`: what `-D` gives every source.
    pub fn build(&self, way: Way, jobs: u32, defines: &str) -> Said {
        if way != Way::Make {
            return self.build_with(way, jobs, &[&format!("-DDEFINES={defines}")], &[]);
        }
        self.make(jobs, defines, "all")
    }

    /// By make alone: a target of the project's makefile.
    pub fn make(&self, jobs: u32, defines: &str, target: &str) -> Said {
        let mut make = self.command("make");
        let fragment = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/make/scuba.mk");
        make.args(["-k", &format!("-j{jobs}"), &format!("SCUBA_MK={}", fragment.display())]);
        make.arg(format!("SCUBA_NVCC_PROGRAM={}", shim().display())).arg(format!("NVCC={}", nvcc().display()));
        if !defines.is_empty() {
            make.arg(format!("DEFINES=-D{defines}"));
        }
        make.arg(target).output().unwrap().into()
    }

    /// By CMake, with options of the configuration and variables for the build.
    pub fn build_with(&self, way: Way, jobs: u32, options: &[&str], variables: &[(&str, &str)]) -> Said {
        let folder = self.build_folder(way);
        let mut configure = self.command("cmake");
        configure
            .args(["-G", if way == Way::CMakeNinja { "Ninja" } else { "Unix Makefiles" }, "-S", ".", "-B"])
            .arg(&folder);
        configure.arg(format!("-DCMAKE_CUDA_COMPILER={}", nvcc().display())).arg("-DCMAKE_CUDA_ARCHITECTURES=80");
        configure
            .arg(format!("-Dscuba_DIR={}", Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/cmake").display()));
        configure
            .arg(format!("-DSCUBA_EXECUTABLE={}", env!("CARGO_BIN_EXE_scuba")))
            .arg(format!("-DSCUBA_NVCC_EXECUTABLE={}", shim().display()));
        configure.args(options);
        Said::from(configure.output().unwrap()).status(0);
        let mut build = self.command("cmake");
        build.arg("--build").arg(&folder).args(["--parallel", &jobs.to_string(), "--"]).args(["-k"]);
        if way == Way::CMakeNinja {
            build.arg("0");
        }
        build.envs(variables.iter().copied());
        build.output().unwrap().into()
    }

    /// Whether a program of `filter` was built.
    pub fn built(&self, way: Way, program: &str) -> bool {
        let folder = self.build_folder(way);
        folder.join(if way == Way::Make { "" } else { "apps" }).join(program).is_file()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).map(drop).unwrap();
        }
    }
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl From<std::process::Output> for Said {
    fn from(o: std::process::Output) -> Self {
        Self {
            status: o.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&o.stdout).into_owned(),
            err: String::from_utf8_lossy(&o.stderr).into_owned(),
        }
    }
}

impl Said {
    #[track_caller]
    pub fn status(self, expected: i32) -> Self {
        assert_eq!(self.status, expected, "{}\n{}", self.out, self.err);
        self
    }

    /// Both streams: build tools choose.
    pub fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    #[track_caller]
    pub fn without_findings(self) -> Self {
        assert!(!self.all().contains("[oob-"), "{}", self.all());
        self
    }
}
