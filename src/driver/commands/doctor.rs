//! `scuba doctor`: lists what is installed, which versions, what is missing and how to get it.

use crate::args::DoctorArgs;
use crate::cache::remote;
use crate::installation::{self, Installation, Installer};
#[cfg(feature = "cgeist")]
use crate::session::{named_cgeist, named_cgeist_cuda};
use crate::session::{named_nvcc, real_nvcc};
use crate::{Status, output};
use base::cpu_time::TimeLimit;
use base::{own_program, paths};
use config::{self, Config};
use confirm::{device, process};
use frontend::bundled;
use frontend::{ExtractOptions, compile_command, first_error, probe};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Time limit for reading a small program; with its headers a real one takes about a second.
const PROBE: Duration = Duration::from_secs(60);

/// Result of one line of the doctor.
enum DoctorResult {
    Found(String),
    /// Missing, but nothing that the settings ask for needs it.
    Absent {
        get: String,
    },
    /// Installed but useless, and nothing that the settings ask for needs it.
    Useless {
        what: String,
        get: String,
    },
    Broken {
        what: String,
        get: String,
    },
}

/// Prints one line per item; returns [`Status::Unable`] if something needed is missing.
pub fn run(args: &DoctorArgs) -> Status {
    let mut text = String::new();
    let mut needed_missing = false;
    let settings = settings(args);
    let config = settings.as_ref().ok().cloned().unwrap_or_default();
    let (nvcc, answers) = nvcc(&config);
    let host = host_compiler();
    let has_host = matches!(host, DoctorResult::Found(_));
    let lines = [
        (
            "settings",
            match &settings {
                Ok(Config { path: Some(p), .. }) => DoctorResult::Found(p.display().to_string()),
                Ok(_) => absent("optional: scuba.toml in the project's folder"),
                Err(e) => broken(e.clone(), "correct the setting"),
            },
        ),
        ("cache", cache_folder()),
        ("scuba", DoctorResult::Found(own())),
        ("scuba-nvcc", beside("scuba-nvcc")),
        ("scuba-extract", extractor()),
        ("Z3", z3()),
        ("nvcc", nvcc),
        ("host compiler", host),
        ("nvcc compiles", compiles(answers.as_deref(), has_host)),
        ("clang", clang(&config)),
        ("a small program", small_program(&config, answers.as_deref())),
        #[cfg(feature = "cgeist")]
        ("cgeist", second_reader(&config)),
        ("CMake package", installed("lib/cmake/scuba", "for `find_package(scuba)`")),
        ("scuba.mk", installed("include/scuba.mk", "for `include scuba.mk` in makefiles")),
        ("scuba.h", installed("include/scuba.h", "for contracts in sources: `-I` its folder")),
        (
            "compute-sanitizer",
            optional(
                &sanitizer(&config),
                &["--version"],
                "optional, for `scuba confirm`: part of the CUDA toolkit (Debian package nvidia-cuda-toolkit, or nvidia's cuda-sanitizer)",
            ),
        ),
        (
            "GPU",
            optional(
                Path::new("nvidia-smi"),
                &["--query-gpu=name,driver_version", "--format=csv,noheader"],
                "optional, for `scuba confirm`: any machine with an NVIDIA GPU; bundles can be run there",
            ),
        ),
    ];
    for (name, finding) in lines.into_iter().chain(remote_cache(&config)).chain(caches(answers.as_deref())) {
        let (mark, what) = match finding {
            DoctorResult::Found(what) => ("ok", what),
            DoctorResult::Absent { get } => ("-", format!("not found; {get}")),
            DoctorResult::Useless { what, get } => ("-", format!("{what}; {get}")),
            DoctorResult::Broken { what, get } => {
                needed_missing = true;
                ("MISSING", format!("{what}; {get}"))
            }
        };
        let _ = writeln!(text, "{name:<18} {mark:<8} {what}");
    }
    output::print(&text);
    if needed_missing { Status::Unable } else { Status::Clean }
}

fn settings(args: &DoctorArgs) -> Result<Config, String> {
    let here = std::env::current_dir().map_err(|e| format!("the working folder does not exist: {e}"))?;
    let path = args.config.clone().or_else(|| config::find(&here));
    path.map(|p| config::load(&p)).transpose().map(Option::unwrap_or_default).map_err(|e| e.to_string())
}

fn own() -> String {
    let path = own_program::path().map_or_else(|_| "?".into(), |p| p.display().to_string());
    format!("{} ({path})", env!("CARGO_PKG_VERSION"))
}

fn absent(get: impl Into<String>) -> DoctorResult {
    DoctorResult::Absent { get: get.into() }
}

fn broken(what: impl Into<String>, get: impl Into<String>) -> DoctorResult {
    DoctorResult::Broken { what: what.into(), get: get.into() }
}

/// Returns how to get a part of SCuBA that is missing or does not start, by what installed it.
fn reinstall() -> String {
    let how = match installer() {
        Installer::Checkout => "run `make build`",
        Installer::Wheel => {
            "install the wheel scuba-cuda again (`pip install --force-reinstall`, `pipx reinstall` or `uv tool install --reinstall`)"
        }
        Installer::Prefix => "install SCuBA again, with all its files",
    };
    format!("{how}; `scuba`, `scuba-nvcc` and `scuba-extract` must be in one folder")
}

fn installer() -> Installer {
    Installation::own().map_or(Installer::Prefix, |i| i.installer)
}

/// Checks the folder for results that are kept.
fn cache_folder() -> DoctorResult {
    if let Err(why) = paths::remote_cache() {
        return broken(why, "set it to a folder or to `off`, or unset it");
    }
    match paths::cache() {
        Some(folder) => DoctorResult::Found(folder.display().to_string()),
        None => {
            let why = paths::why_no_cache().unwrap_or_default();
            absent(format!("nothing is kept for the next build: {why}; SCUBA_CACHE names another folder"))
        }
    }
}

/// Checks the settings of the remote cache, if one is set. The store is not asked.
fn remote_cache(config: &Config) -> Option<(&'static str, DoctorResult)> {
    let url = remote::remote_url(config)?;
    let result = match remote::settings(&url, config) {
        Ok(_) => DoctorResult::Found(format!("{url} (`scuba cache` tells how it answers)")),
        Err(what) => DoctorResult::Useless { what, get: "only the local cache is used".into() },
    };
    Some(("remote cache", result))
}

fn beside(name: &str) -> DoctorResult {
    match own_program::path().map(|p| p.with_file_name(name)) {
        Ok(path) if path.is_file() => DoctorResult::Found(path.display().to_string()),
        Ok(path) => broken(format!("{} does not exist", path.display()), reinstall()),
        Err(e) => broken(format!("cannot find the folder of `scuba`: {e}"), reinstall()),
    }
}

/// Checks the worker: it must exist, and its LLVM must load. Without arguments it prints its usage.
fn extractor() -> DoctorResult {
    let DoctorResult::Found(path) = beside("scuba-extract") else { return beside("scuba-extract") };
    match Command::new(&path).stdin(Stdio::null()).output() {
        Ok(out) if String::from_utf8_lossy(&out.stderr).contains("usage") => DoctorResult::Found(path),
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stderr).lines().next().unwrap_or("no message").to_owned();
            let get = match installer() {
                Installer::Checkout => "install LLVM 22's library (Debian package libllvm22 or llvm-22-dev)".to_owned(),
                Installer::Wheel | Installer::Prefix => reinstall(),
            };
            broken(format!("{path} does not start: {said}"), get)
        }
        Err(e) => broken(format!("{path} cannot be run: {e}"), reinstall()),
    }
}

/// Finds a file for build systems, by its path under the installation's prefix.
fn installed(place: &str, what_for: &str) -> DoctorResult {
    let get = match installer() {
        Installer::Checkout => "optional, for build systems: `make install` or the wheel brings it".to_owned(),
        Installer::Wheel | Installer::Prefix => format!("optional, for build systems: {}", reinstall()),
    };
    let prefix = own_program::path().ok().and_then(|p| Some(p.canonicalize().ok()?.parent()?.parent()?.to_owned()));
    match prefix.map(|p| p.join(place)).filter(|p| p.exists()) {
        Some(path) => DoctorResult::Found(format!("{} ({what_for})", path.display())),
        None => absent(get),
    }
}

/// Checks the version of Z3: before 5 it leaves many index queries undecided.
fn z3() -> DoctorResult {
    let get = match installer() {
        Installer::Checkout => "install the wheel z3-solver 5.x and build again (`make` does both)".to_owned(),
        Installer::Wheel | Installer::Prefix => {
            format!("another Z3 is loaded in place of SCuBA's own: see LD_LIBRARY_PATH, or {}", reinstall())
        }
    };
    let version = check::z3_version();
    // `Z3 5.4.0.0 …` or `5.4.0.0`, depending on the release.
    let number =
        version.split_whitespace().find_map(|w| w.split_once('.')).and_then(|(major, _)| major.parse::<u32>().ok());
    match number {
        Some(n) if n >= 5 => DoctorResult::Found(version.to_owned()),
        _ => broken(format!("{version} is too old: 5 or newer is needed"), get),
    }
}

/// Checks the host compiler that nvcc runs if no `-ccbin` names another one: that of `NVCC_CCBIN`, else g++. Its headers
/// of the C++ library are those that clang reads, too.
fn host_compiler() -> DoctorResult {
    let named = std::env::var_os("NVCC_CCBIN").filter(|v| !v.is_empty()).map(PathBuf::from);
    let program = match &named {
        Some(folder) if folder.is_dir() => folder.join("g++"),
        Some(program) => program.clone(),
        None => "g++".into(),
    };
    match version(&program, &["--version"]) {
        Ok((path, text)) => {
            let first = text.lines().next().unwrap_or_default();
            let number = |v: &str| Some((v.split('.').next()?.parse().ok()?, 0));
            let newer = newer_than_tried(first.split_whitespace().next_back().and_then(number), NEWEST_GCC);
            DoctorResult::Found(format!("{} ({first}){newer}", path.display()))
        }
        Err(what) if named.is_some() => broken(format!("NVCC_CCBIN: {what}"), "correct NVCC_CCBIN, or unset it"),
        Err(what) => broken(
            what,
            "nvcc needs it: install g++ (Debian and Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`), or name another compiler by NVCC_CCBIN",
        ),
    }
}

/// Lists installed compiler caches, with their known behaviour under nvcc.
fn caches(nvcc: Option<&Path>) -> Vec<(&'static str, DoctorResult)> {
    let of = |name| version(Path::new(name), &["--version"]).ok();
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let ccache = of("ccache").map(|(path, text)| {
        let what = format!("{} ({})", path.display(), first(&text));
        (
            "ccache",
            DoctorResult::Useless { what, get: "for CUDA it can return an old object: set CCACHE_DEPEND=1".into() },
        )
    });
    let release = || nvcc.and_then(|nvcc| release_of(&version(nvcc, &["--version"]).ok()?.1));
    let sccache = of("sccache").map(|(path, text)| {
        let what = format!("{} ({})", path.display(), first(&text));
        let fails = text.contains("sccache 0.16") && release().is_some_and(|release| release >= (13, 3));
        let finding = if fails {
            DoctorResult::Useless {
                what,
                get: "it fails on every CUDA unit of nvcc 13.3 and later: do not use it for CUDA".into(),
            }
        } else {
            DoctorResult::Found(what)
        };
        ("sccache", finding)
    });
    ccache.into_iter().chain(sccache).collect()
}

/// Newest releases that were tested (docs/evaluation/toolkits.md).
const NEWEST_TOOLKIT: (u32, u32) = (13, 5);
const NEWEST_GCC: (u32, u32) = (13, u32::MAX);

/// Returns a remark if a release is newer than the newest tested one.
fn newer_than_tried(release: Option<(u32, u32)>, tried: (u32, u32)) -> String {
    match (release.filter(|r| *r > tried), tried) {
        (None, _) => String::new(),
        (Some(_), (major, u32::MAX)) => format!(", newer than {major}, the newest that SCuBA was tested with"),
        (Some(_), (major, minor)) => format!(", newer than {major}.{minor}, the newest that SCuBA was tested with"),
    }
}

/// Returns the major and minor number of the release that `nvcc --version` names (`release 13.5, V13.5.37`).
fn release_of(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split("release ").nth(1)?.split(',').next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the compute-sanitizer that `scuba confirm` uses.
fn sanitizer(config: &Config) -> PathBuf {
    device::sanitizer(real_nvcc(config).as_deref(), config.confirm.compute_sanitizer.as_deref())
        .unwrap_or("compute-sanitizer".into())
}

/// Checks nvcc's version; also returns it, if it answers.
fn nvcc(config: &Config) -> (DoctorResult, Option<PathBuf>) {
    const GET: &str = "install the CUDA toolkit, or name nvcc by SCUBA_NVCC or `[nvcc] path` in scuba.toml; pip's lies in site-packages/nvidia/cu13: set CUDA_HOME to that folder";
    let found = real_nvcc(config).or_else(|| named_nvcc(config)).unwrap_or_else(|| "nvcc".into());
    let broken = |what: String| (broken(what, GET), None);
    match version(&found, &["--version"]) {
        Ok((path, text)) => match text.lines().find(|l| l.contains("release")) {
            Some(release) => {
                let newer = newer_than_tried(release_of(&text), NEWEST_TOOLKIT);
                let what = format!("{} ({}){newer}", path.display(), release.trim());
                (DoctorResult::Found(what), real_nvcc(config))
            }
            None => broken(format!("{} does not answer like nvcc", path.display())),
        },
        Err(what) => broken(what),
    }
}

/// Checks that nvcc itself compiles the small program: a toolkit of mixed releases reports a version but compiles
/// nothing.
fn compiles(nvcc: Option<&Path>, has_host: bool) -> DoctorResult {
    const GET: &str = "nvcc itself fails, with or without SCuBA: the toolkit lacks a file, or mixes releases (pip installs the newest of each package: pin one release for all of nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt, nvidia-cuda-runtime)";
    let Some(nvcc) = nvcc else { return absent("there is no nvcc to ask") };
    if !has_host {
        return absent("not tried: nvcc has no host compiler");
    }
    let compiled = tempfile::tempdir().map_err(|e| format!("cannot make a temporary folder: {e}")).and_then(|folder| {
        let mut command = compile_command(nvcc, folder.path())?;
        let end = process::run(&mut command, "", PROBE, None)
            .map_err(|e| format!("{} cannot be run: {e}", nvcc.display()))?;
        if end.success() { Ok(()) } else { Err(first_error(&end.output).map_or_else(|| end.how(), str::to_owned)) }
    });
    match compiled {
        Ok(()) => DoctorResult::Found("a small program, by itself".into()),
        Err(said) => broken(format!("nvcc cannot compile a small program: {said}"), GET),
    }
}

fn clang(config: &Config) -> DoctorResult {
    let get = match installer() {
        Installer::Checkout => "install clang-22 (https://apt.llvm.org, or `make` as root)".to_owned(),
        Installer::Wheel | Installer::Prefix => {
            format!(
                "install clang-22, or correct `[frontend] clang`; a whole installation includes one: {}",
                reinstall()
            )
        }
    };
    let named = config.frontend.clang.clone().unwrap_or_else(bundled::clang);
    match version(&named, &["--version"]) {
        Ok((path, text)) => {
            let first = text.lines().next().unwrap_or_default().to_owned();
            let major =
                first.split("version ").nth(1).and_then(|v| v.split('.').next()).and_then(|m| m.parse::<u32>().ok());
            if major == Some(22) {
                let whose = if bundled::is_bundled(&path) { ", bundled" } else { "" };
                DoctorResult::Found(format!("{} ({first}{whose})", path.display()))
            } else {
                broken(format!("{} is {first}: version 22 is needed", path.display()), get)
            }
        }
        Err(what) => broken(what, get),
    }
}

/// Checks that clang reads a kernel and its host code with the headers of the toolkit.
fn small_program(config: &Config, nvcc: Option<&Path>) -> DoctorResult {
    if !matches!(beside("scuba-extract"), DoctorResult::Found(_)) {
        return absent("not tried: scuba-extract is missing");
    }
    let defaults = ExtractOptions::default();
    let options = ExtractOptions {
        clang: config.frontend.clang.clone().unwrap_or(defaults.clang),
        extra_flags: config.frontend.flags.clone(),
        time_limit: TimeLimit::of(PROBE).within(PROBE),
        ..ExtractOptions::default()
    };
    match probe(nvcc, &options) {
        Ok(()) => DoctorResult::Found("read for host and device".into()),
        Err(why) => {
            let tested = installation::page("docs/evaluation/toolkits.md");
            let get = format!("the toolkit lacks a file, or clang does not know it; tested toolkits: {tested}");
            broken(format!("cannot be read: {why}"), get)
        }
    }
}

/// Checks cgeist: needed if the settings ask for it, else an optional second reader. A cgeist that starts but reads
/// nothing counts as useless.
#[cfg(feature = "cgeist")]
fn second_reader(config: &Config) -> DoctorResult {
    use cgeist::process::{CgeistError, CgeistTool};
    use config::FrontendKind;
    const GET: &str = "optional, a second reading of the sources: build Polygeist (https://github.com/llvm/Polygeist, its README says how) and put `cgeist` into PATH, or name it by SCUBA_CGEIST or `[frontend] cgeist`";
    const WHEELS: &str = "`pip install --no-deps --target DIR 'nvidia-cuda-runtime-cu12==12.1.*' 'nvidia-cuda-nvcc-cu12==12.1.*' 'nvidia-curand-cu12==10.3.2.*' 'nvidia-cuda-cccl-cu12==12.4.*'` installs such headers in DIR/nvidia";
    let (named, cuda) = (named_cgeist(config), named_cgeist_cuda(config));
    let asked = config.frontend.kind == FrontendKind::Cgeist || named.is_some() || cuda.is_some();
    let tool = match CgeistTool::find(named.as_deref()) {
        Ok(tool) => tool,
        Err(e) if asked => {
            let get = "correct the setting, or build Polygeist as its README says";
            return broken(e.to_string(), get);
        }
        Err(_) => return absent(GET),
    };
    let nvcc = real_nvcc(config);
    let headers = cuda.as_ref().map_or_else(String::new, |c| format!("; CUDA headers of {}", c.display()));
    let found = format!("{} ({}; {}{headers})", tool.cgeist.display(), tool.name(), tool.abilities());
    let options = ExtractOptions {
        cgeist: named,
        cgeist_cuda: cuda,
        time_limit: TimeLimit::of(PROBE).within(PROBE),
        ..ExtractOptions::default()
    };
    let Err(e) = cgeist::probe(nvcc.as_deref(), &options) else { return DoctorResult::Found(found) };
    let get = match &e {
        CgeistError::NoOpt => "build Polygeist's target polygeist-opt too",
        CgeistError::Failed { .. } | CgeistError::Root { .. } => WHEELS,
        _ => "units are read by clang alone",
    };
    let what = format!("{found} reads nothing: {e}");
    if asked { broken(what, get) } else { DoctorResult::Useless { what, get: get.into() } }
}

fn optional(program: &Path, arguments: &[&str], get: &'static str) -> DoctorResult {
    match version(program, arguments) {
        Ok((path, text)) => {
            let line = text.lines().find(|l| l.contains("ersion")).or_else(|| text.lines().next()).unwrap_or_default();
            DoctorResult::Found(format!("{} ({})", path.display(), line.trim()))
        }
        Err(_) => absent(get),
    }
}

/// Returns the path of a program and its output.
fn version(program: &Path, arguments: &[&str]) -> Result<(PathBuf, String), String> {
    let path = which::which(program).map_err(|_| format!("{} was not found", program.display()))?;
    let end = process::run(Command::new(&path).args(arguments), "", device::PATIENCE, None)
        .map_err(|e| format!("{} cannot be run: {e}", path.display()))?;
    if !end.success() {
        return Err(format!("{} failed: `{}` {}", path.display(), arguments.join(" "), end.how()));
    }
    Ok((path, end.output))
}

#[cfg(test)]
mod tests {
    use super::{NEWEST_GCC, NEWEST_TOOLKIT, newer_than_tried, release_of};

    #[test]
    fn what_is_newer_than_tried_is_said() {
        let of = |text: &str| newer_than_tried(release_of(text), NEWEST_TOOLKIT);
        for tried in ["Cuda compilation tools, release 13.5, V13.5.37", "release 12.8, V12.8.93", "something else"] {
            assert_eq!(of(tried), "", "{tried}");
        }
        assert!(of("Cuda compilation tools, release 13.6, V13.6.1").contains("newer than 13.5"));
        assert!(of("release 14.0, V14.0.1").contains("newer than 13.5"));
        assert_eq!(newer_than_tried(Some((13, 3)), NEWEST_GCC), "");
        assert!(newer_than_tried(Some((14, 2)), NEWEST_GCC).contains("newer than 13,"));
    }
}
