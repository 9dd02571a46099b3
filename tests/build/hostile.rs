//! Hostile surroundings: full disks, exhausted limits, odd names, foreign caches, clocks that jump. In each of them a build
//! through the shim is nvcc's, with at most one line of SCuBA's own, and nothing is left behind.
//!
//! The analysis is the real one; nvcc is a script beside the real toolkit's headers.

mod cache;
mod folders;
mod paths;
mod resources;
mod shortages;
mod sources;
mod surroundings;

use crate::support::{Output, clean, install, nvcc, run, write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel with one access, which is safe.
pub const SAFE: &str = "#include <cstdlib>\n\
    __global__ void fill(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1.0f; }\n\
    int main(int argc, char **argv) {\n\
      int n = argc < 2 ? 1 : atoi(argv[1]);\n\
      if (n < 1) return 1;\n\
      float *a;\n\
      cudaMalloc(&a, n * sizeof(float));\n\
      fill<<<(n + 255) / 256, 256>>>(a, n);\n\
      return cudaDeviceSynchronize();\n\
    }\n";

pub const SHIM: &str = env!("CARGO_BIN_EXE_scuba-nvcc");
pub const SCUBA: &str = env!("CARGO_BIN_EXE_scuba");

/// What the stand-in for nvcc writes, and prints.
const MADE: &str = "made by nvcc\n";
const TOLD: &str = "told by nvcc\n";

/// A project, a folder for temporary files, and programs to build with.
pub struct Site {
    pub root: tempfile::TempDir,
}

impl Site {
    /// With the source `a.cu`.
    pub fn new(source: &str) -> Site {
        let site = Site { root: tempfile::tempdir().unwrap() };
        write(&site.project(), &[("a.cu", source)]);
        for folder in ["tmp", "cuda/bin"] {
            std::fs::create_dir_all(site.at(folder)).unwrap();
        }
        // Anybody may work here: some tests do as another user.
        for folder in [site.root.path().to_owned(), site.project(), site.at("tmp")] {
            std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        }
        site.toolkit();
        site
    }

    /// Makes a toolkit whose nvcc is a script; the rest is the real one's.
    fn toolkit(&self) {
        let real = nvcc().canonicalize().unwrap();
        let bin = real.parent().unwrap();
        for (from, to) in [(bin.parent().unwrap(), self.at("cuda")), (bin, self.at("cuda/bin"))] {
            for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
                let link = to.join(entry.file_name().unwrap());
                if entry != real && !link.exists() {
                    symlink(&entry, link).unwrap();
                }
            }
        }
        let script = self.at("script");
        let body = "#!/bin/sh\nout=a.o\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n\
                    echo 'told by nvcc' 2>/dev/null\necho 'made by nvcc' > \"$out\"\n";
        std::fs::write(&script, body).unwrap();
        install(&script, &self.at("cuda/bin/nvcc"));
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn project(&self) -> PathBuf {
        self.at("project")
    }

    /// A command in the project, with settings of the site's own.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = clean(program, &self.project());
        command
            .env("SCUBA_NVCC", self.at("cuda/bin/nvcc"))
            .env("SCUBA_CACHE", "off")
            .env("TMPDIR", self.at("tmp"))
            .env_remove("LD_PRELOAD");
        command
    }

    /// The compilation of `a.cu`.
    pub fn compilation(&self) -> Command {
        let mut command = self.command(Path::new(SHIM));
        command.args(["-c", "a.cu", "-o", "a.o"]);
        command
    }

    /// Runs a compilation that must end as without SCuBA but for at most one line, and leave nothing behind. Returns the
    /// line, or nothing.
    #[track_caller]
    pub fn compiles(&self, command: &mut Command) -> String {
        let _ = std::fs::remove_file(self.project().join("a.o"));
        let output = run(command);
        self.expect_own_result(&output, &format!("{command:?}"))
    }

    #[track_caller]
    pub fn expect_own_result(&self, output: &Output, what: &str) -> String {
        let line = output.err();
        assert_eq!((output.status.code(), output.out().as_str()), (Some(0), TOLD), "{what}\n{line}");
        assert_eq!(std::fs::read_to_string(self.project().join("a.o")).unwrap(), MADE, "{what}\n{line}");
        assert!(line.lines().count() <= 1, "{what}\n{line}");
        assert!(line.is_empty() || line.starts_with("scuba: "), "{what}\n{line}");
        self.expect_nothing_left(what);
        line
    }

    #[track_caller]
    pub fn expect_nothing_left(&self, what: &str) {
        let left: Vec<_> = std::fs::read_dir(self.at("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.is_empty(), "{what}: {left:?}");
    }
}

/// Calls of the system that fail in SCuBA's programs: see `faults.c`.
pub struct Faults {
    folder: tempfile::TempDir,
}

impl Faults {
    pub fn new() -> Faults {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/build/hostile/faults.c");
        let mut compiler = clean(Path::new("cc"), folder.path());
        run(compiler.args(["-shared", "-fPIC", "-o", "faults.so"]).arg(source).arg("-ldl")).ok();
        Faults { folder }
    }

    /// Lets the calls of one kind fail in the programs of this name, one call after the other, until there is no further
    /// one. Returns their number. `build` runs a command with what it is given.
    pub fn each(&self, program: &str, call: &str, errno: i32, build: impl FnMut(&dyn Fn(&mut Command))) -> usize {
        self.every(1, program, call, errno, build)
    }

    /// The same with every `step`th call alone.
    pub fn every(
        &self,
        step: usize,
        program: &str,
        call: &str,
        errno: i32,
        mut build: impl FnMut(&dyn Fn(&mut Command)),
    ) -> usize {
        for at in (1..1000).step_by(step) {
            build(&|command| self.inject(command, program, call, errno, at));
            if !self.fired() {
                return at - 1;
            }
        }
        panic!("{program} never stops to call {call}");
    }

    /// Lets all calls of one kind fail.
    pub fn all(&self, command: &mut Command, programs: &str, call: &str, errno: i32) {
        self.from(command, programs, call, errno, 1);
    }

    /// Lets all calls of one kind fail from the given one on.
    pub fn from(&self, command: &mut Command, programs: &str, call: &str, errno: i32, at: usize) {
        self.inject(command, programs, call, errno, at);
        command.env("FAULT_ALL", "1");
    }

    fn inject(&self, command: &mut Command, programs: &str, call: &str, errno: i32, at: usize) {
        let _ = std::fs::remove_file(self.mark());
        command
            .env("LD_PRELOAD", self.folder.path().join("faults.so"))
            .env("FAULT_PROGRAMS", programs)
            .env("FAULT_CALL", call)
            .env("FAULT_AT", at.to_string())
            .env("FAULT_ERRNO", errno.to_string())
            .env("FAULT_MARK", self.mark());
    }

    fn mark(&self) -> PathBuf {
        self.folder.path().join("mark")
    }

    /// Whether a call failed since the last injection.
    pub fn fired(&self) -> bool {
        self.mark().exists()
    }
}
