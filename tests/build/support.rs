//! What the tests share: the real nvcc, a shim with a scripted analysis beside it, runs with a time limit.

use scuba::nvcc::request::AnalysisRequest;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// No single run of a test takes longer, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(240);

pub fn nvcc() -> PathBuf {
    let named = std::env::var_os("SCUBA_NVCC").filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc"));
    assert!(path.is_file(), "no nvcc at {}: run `make setup` or set SCUBA_NVCC", path.display());
    path
}

/// Sources that the tests compile.
pub const KERNEL: &str = "__global__ void scale(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] *= 2.0f; }\n\
    void run(float *a, int n) { scale<<<1, 32>>>(a, n); }\n";
pub const MAIN: &str = "void run(float *, int);\nint main() { run(nullptr, 0); return 0; }\n";

/// A copy of the shim with an analysis of the test's own beside it.
pub struct Shim {
    folder: tempfile::TempDir,
}

/// Reads the whole request, as the real one does.
pub const PASSES: &str = "cat > /dev/null; exit 0";
pub const DENIES: &str = "cat > /dev/null; echo 'deny[oob-global]: a[i] may be out of bounds'; exit 1";

impl Shim {
    /// `analysis` is the body of a shell script.
    pub fn new(analysis: &str) -> Shim {
        let shim = Shim::alone();
        shim.set_analysis(analysis);
        shim
    }

    /// Without an analysis beside it.
    pub fn alone() -> Shim {
        let shim = Shim { folder: tempfile::tempdir().unwrap() };
        install(Path::new(env!("CARGO_BIN_EXE_scuba-nvcc")), &shim.path());
        shim
    }

    /// Records requests in `folder()/requests`, one file each, then does as `analysis` says.
    pub fn recording(analysis: &str) -> Shim {
        let shim = Shim::alone();
        let requests = shim.folder().join("requests");
        std::fs::create_dir(&requests).unwrap();
        shim.set_analysis(&format!("cat > '{0}'/$$; set -- $$; {analysis}", requests.display()));
        shim
    }

    pub fn set_analysis(&self, body: &str) {
        let script = self.folder().join("script");
        std::fs::write(&script, format!("#!/bin/sh\n[ \"$1\" = __analyze ] || exit 99\n{body}\n")).unwrap();
        install(&script, &self.folder().join("scuba"));
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self) -> PathBuf {
        self.folder().join("scuba-nvcc")
    }

    pub fn requests(&self) -> Vec<AnalysisRequest> {
        let entries = std::fs::read_dir(self.folder().join("requests")).unwrap();
        entries.map(|entry| serde_json::from_slice(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap()).collect()
    }

    pub fn command(&self, directory: &Path) -> Command {
        let mut command = clean(&self.path(), directory);
        command.env("SCUBA_NVCC", nvcc());
        command
    }
}

/// By another process: an executable that this one has open for writing while a test forks cannot be executed.
pub fn install(from: &Path, to: &Path) {
    let status = Command::new("install").arg("-m755").arg(from).arg(to).status().unwrap();
    assert!(status.success());
}

/// A command that nothing of the surrounding build or shell reaches.
pub fn clean(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["SCUBA_", "NVCC_", "CMAKE_", "CUDA"].iter().any(|prefix| name.starts_with(prefix))
            || matches!(
                &*name,
                "MAKEFLAGS" | "MFLAGS" | "CARGO_MAKEFLAGS" | "CC" | "CXX" | "CFLAGS" | "CXXFLAGS" | "LDFLAGS"
            )
        {
            command.env_remove(&*name);
        }
    }
    command
}

#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub took: Duration,
}

impl Output {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    #[track_caller]
    pub fn ok(self) -> Output {
        assert!(self.status.success(), "{}\n{}{}", self.status, self.out(), self.err());
        self
    }
}

/// Runs to its end, at most [`LONGEST`].
#[track_caller]
pub fn run(command: &mut Command) -> Output {
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let read = |mut stream: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            stream.read_to_end(&mut text).unwrap();
            text
        })
    };
    let stdout = read(Box::new(child.stdout.take().unwrap()));
    let stderr = read(Box::new(child.stderr.take().unwrap()));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("{command:?} takes longer than {LONGEST:?}");
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    let took = started.elapsed();
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap(), took }
}

pub fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

/// Every file below a folder but the shim's own log, with its contents; folders end in `/`.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name() == Some(OsStr::new(".scuba")) {
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() {
                found.insert(name + "/", Vec::new());
                folders.push(path);
            } else {
                found.insert(name, std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// nvcc puts its process number, in hexadecimal, into the names of its temporary files, and those into what it writes; behind it
/// how many such names were taken, by files that a killed nvcc of that number left.
pub fn normal(bytes: &[u8]) -> Vec<u8> {
    let mut text = bytes.to_vec();
    let mark = b"tmpxft_";
    let mut at = 0;
    while let Some(found) = text[at..].windows(mark.len()).position(|window| window == mark) {
        at += found + mark.len();
        // tmpxft_0000298f_00000000-6_a.cudafe1.stub.c, and mangled: tmpxft_0000298f_00000000_7_
        for number in [at, at + 9] {
            for byte in text.iter_mut().skip(number).take(8).take_while(|byte| byte.is_ascii_hexdigit()) {
                *byte = b'0';
            }
        }
    }
    text
}
