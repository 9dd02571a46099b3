//! Finds the real nvcc, never this program itself.
//!
//! In, by decreasing precedence: `SCUBA_NVCC`, scuba.toml's `[nvcc] path`, the nvcc that the arguments name, CUDA_HOME,
//! CUDA_PATH, PATH. Out: an [`Invocation`]: the absolute path of the program to run, and its arguments. Symbolic links
//! are not resolved: nvcc derives its toolkit from the path by which it is called.
//!
//! Two guards keep `scuba-nvcc` from running itself. A candidate that is the same file as this program is skipped.
//! [`GUARD`], set for all programs that the shim starts, lists the programs that already run; a wrapper script that
//! calls the shim again is skipped the second time.

use super::settings::Settings;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Environment variable: paths of the nvcc programs that the calling shims are running, joined by `:`.
pub const GUARD: &str = "SCUBA_NVCC_RUNNING";

/// Programs that take a compiler's command line after their own name.
pub const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "buildcache", "distcc", "icecc"];

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LocateError {
    #[error("no nvcc found: set SCUBA_NVCC, `path` under [nvcc] in scuba.toml, or CUDA_HOME, or put nvcc on PATH")]
    NotFound,
    #[error("{0} names `{1}`, which is not an executable file")]
    NotExecutable(&'static str, PathBuf),
    #[error("{0} names `{1}`, which is scuba-nvcc itself; it must name the real nvcc")]
    Ourselves(&'static str, PathBuf),
    #[error("the nvcc found, `{0}`, starts scuba-nvcc again; set SCUBA_NVCC to the real nvcc")]
    Circle(PathBuf),
}

/// Program to run in place of the shim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// Absolute path of nvcc, or of a launcher before it.
    pub program: PathBuf,
    /// Arguments, byte for byte as given.
    pub arguments: Vec<OsString>,
    /// Number of `arguments` before nvcc's own (for a launcher: nvcc's path).
    pub before: usize,
    /// Absolute path of nvcc.
    pub nvcc: PathBuf,
}

impl Invocation {
    pub fn nvcc_arguments(&self) -> &[OsString] {
        &self.arguments[self.before..]
    }

    /// Returns the file name of the launcher before nvcc.
    pub fn launcher(&self) -> Option<String> {
        let name = self.program.file_name().filter(|_| self.before > 0)?;
        Some(name.to_string_lossy().into_owned())
    }
}

/// Environment in which nvcc is searched.
pub struct SearchEnvironment<'s> {
    /// Path of this program, for comparison by file identity.
    pub ourselves: &'s Path,
    /// Absolute working directory.
    pub directory: &'s Path,
    /// `SCUBA_NVCC`
    pub named: Option<&'s OsStr>,
    /// Absolute roots of toolkits: `CUDA_HOME`, `CUDA_PATH`; see [`toolkits`].
    pub toolkits: Vec<PathBuf>,
    /// `PATH`
    pub path: Option<&'s OsStr>,
    /// [`GUARD`]
    pub running: Option<&'s OsStr>,
}

/// Finds the program to run. `arguments` are the shim's without its own name. `settings` is called only if `SCUBA_NVCC`
/// names no nvcc.
///
/// # Errors
/// When there is no nvcc, or the only one would be this program again.
pub fn locate(
    arguments: &[OsString],
    place: &SearchEnvironment<'_>,
    settings: impl FnOnce() -> Settings,
) -> Result<Invocation, LocateError> {
    let mut arguments = arguments;
    // CMAKE_CUDA_COMPILER and CMAKE_CUDA_COMPILER_LAUNCHER may both be this program. An `nvcc` that PATH lacks (a
    // makefile's default) stands for the one that is set, else for the one that is found.
    while let Some((first, rest)) = arguments.split_first()
        && (place.is_ourselves(Path::new(first)) || place.is_missing(first))
    {
        arguments = rest;
    }
    let set = place.set(settings)?;
    if let Some(invocation) = place.launched(arguments, set.as_deref())? {
        return Ok(invocation);
    }
    let nvcc = set.map_or_else(|| place.found(), Ok)?;
    Ok(Invocation { program: nvcc.clone(), arguments: arguments.to_vec(), before: 0, nvcc })
}

impl SearchEnvironment<'_> {
    /// Handles launcher mode: `nvcc ARGS` or `ccache nvcc ARGS`, where an nvcc that is `set` replaces the named one.
    fn launched(&self, arguments: &[OsString], set: Option<&Path>) -> Result<Option<Invocation>, LocateError> {
        let Some((first, rest)) = arguments.split_first() else { return Ok(None) };
        let program = |name: &OsString| {
            self.executable(name).ok_or_else(|| LocateError::NotExecutable("the command line", PathBuf::from(name)))
        };
        if is_nvcc(first) {
            let nvcc = match set {
                Some(nvcc) => nvcc.to_owned(),
                None => program(first)?,
            };
            if self.is_running(&nvcc) {
                return Err(LocateError::Circle(nvcc));
            }
            // PATH may resolve the bare name to a link to this program.
            if self.is_ourselves(&nvcc) {
                return Ok(None);
            }
            return Ok(Some(Invocation { program: nvcc.clone(), arguments: rest.to_vec(), before: 0, nvcc }));
        }
        let is_launcher = program_name(first).is_some_and(|name| LAUNCHERS.contains(&name));
        let Some(second) = rest.first().filter(|second| is_launcher && is_nvcc(second)) else { return Ok(None) };
        let mut arguments = rest.to_vec();
        let nvcc = match set {
            Some(nvcc) => {
                arguments[0] = nvcc.into();
                nvcc.to_owned()
            }
            None => program(second)?,
        };
        Ok(Some(Invocation { program: program(first)?, arguments, before: 1, nvcc }))
    }

    /// Returns the nvcc that `SCUBA_NVCC` names, else the one of scuba.toml.
    fn set(&self, settings: impl FnOnce() -> Settings) -> Result<Option<PathBuf>, LocateError> {
        let setting = match self.named.filter(|named| !named.is_empty()) {
            Some(named) => Some(("SCUBA_NVCC", PathBuf::from(named))),
            None => settings().nvcc.map(|path| ("`path` under [nvcc] in scuba.toml", path)),
        };
        let Some((origin, path)) = setting else { return Ok(None) };
        let Some(program) = self.executable(path.as_os_str()) else {
            return Err(LocateError::NotExecutable(origin, path));
        };
        if self.is_ourselves(&program) {
            return Err(LocateError::Ourselves(origin, program));
        }
        // The program may be a wrapper that called the shim again: its `nvcc` is then the one that it names, or the one
        // on PATH.
        Ok(Some(program).filter(|program| !self.is_running(program)))
    }

    /// Searches the toolkits, then PATH, if no command or setting names an nvcc.
    fn found(&self) -> Result<PathBuf, LocateError> {
        let of_toolkits = self.toolkits.iter().filter_map(|root| self.executable(root.join("bin/nvcc").as_os_str()));
        let candidates =
            of_toolkits.chain(which::which_in_all("nvcc", self.path, self.directory).into_iter().flatten());
        let mut circle = None;
        for candidate in candidates.map(|path| self.directory.join(path)) {
            if self.is_running(&candidate) {
                circle = Some(candidate);
            } else if !self.is_ourselves(&candidate) {
                return Ok(candidate);
            }
        }
        Err(circle.map_or(LocateError::NotFound, LocateError::Circle))
    }

    fn executable(&self, name: &OsStr) -> Option<PathBuf> {
        which::which_in(name, self.path, self.directory).ok().map(|path| self.directory.join(path))
    }

    fn is_ourselves(&self, program: &Path) -> bool {
        let identity = |path: &Path| path.metadata().ok().map(|status| (status.dev(), status.ino()));
        if program.as_os_str().as_bytes().first() == Some(&b'-') {
            return false;
        }
        let program = if program.as_os_str().as_bytes().contains(&b'/') {
            self.directory.join(program)
        } else {
            match self.executable(program.as_os_str()) {
                Some(found) => found,
                None => return false,
            }
        };
        identity(&program).is_some_and(|program| identity(self.ourselves) == Some(program))
    }

    /// Whether a word is nvcc's bare name and PATH has no such program.
    fn is_missing(&self, word: &OsStr) -> bool {
        is_nvcc(word) && !word.as_bytes().contains(&b'/') && self.executable(word).is_none()
    }

    fn is_running(&self, program: &Path) -> bool {
        self.running.is_some_and(|running| std::env::split_paths(running).any(|path| path == program))
    }

    /// Returns the value of [`GUARD`] for the environment of `program`.
    pub fn guard(&self, program: &Path) -> OsString {
        let mut value = self.running.unwrap_or_default().to_owned();
        if !value.is_empty() {
            value.push(":");
        }
        value.push(program);
        value
    }
}

/// Returns the toolkits that this process's environment names: `CUDA_HOME`, then `CUDA_PATH`.
#[must_use]
pub fn toolkits(directory: &Path) -> Vec<PathBuf> {
    let set = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(std::env::var_os).filter(|root| !root.is_empty());
    set.map(|root| directory.join(root)).collect()
}

/// Returns every nvcc that may be meant if no command names one, best first: `named` (a setting), else those of
/// [`toolkits`] and of PATH. Skips paths that are no executable file; the shim, under any name, may be among the
/// results.
#[must_use]
pub fn candidates(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return which::which_all(named).into_iter().flatten().collect();
    }
    let here = std::env::current_dir().unwrap_or_default();
    let of_toolkits = toolkits(&here).into_iter().filter_map(|root| which::which(root.join("bin/nvcc")).ok());
    of_toolkits.chain(which::which_all("nvcc").into_iter().flatten()).collect()
}

/// Returns the name of the program that a command's word may name; `None` for a flag, which may end in such a name:
/// `-ccbin=/usr/bin/g++`, `-I/opt/nvcc`.
pub fn program_name(word: &OsStr) -> Option<&str> {
    if word.as_bytes().starts_with(b"-") {
        return None;
    }
    Path::new(word).file_name()?.to_str()
}

/// Whether a word names nvcc: `nvcc`, `/usr/local/cuda/bin/nvcc`, `nvcc-12.6`.
pub fn is_nvcc(word: &OsStr) -> bool {
    let Some(name) = program_name(word) else { return false };
    match name.strip_prefix("nvcc") {
        Some("") => true,
        Some(version) => {
            version.strip_prefix('-').is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct Machine {
        root: tempfile::TempDir,
        toolkits: Vec<&'static str>,
    }

    impl Machine {
        fn new(programs: &[&str]) -> Machine {
            let root = tempfile::tempdir().unwrap();
            for program in programs {
                let file = root.path().join(program);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, "").unwrap();
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
            Machine { root, toolkits: vec![] }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.root.path().join(path)
        }

        fn locate(
            &self,
            arguments: &str,
            path: &str,
            named: &str,
            running: &str,
            setting: &str,
        ) -> Result<Invocation, LocateError> {
            let arguments: Vec<OsString> = arguments.split_whitespace().map(OsString::from).collect();
            let path = std::env::join_paths(path.split_whitespace().map(|folder| self.at(folder))).unwrap();
            let running = std::env::join_paths(running.split_whitespace().map(|file| self.at(file))).unwrap();
            let named = if named.contains('/') { self.at(named).into_os_string() } else { OsString::from(named) };
            let place = SearchEnvironment {
                ourselves: &self.at("scuba/scuba-nvcc"),
                directory: self.root.path(),
                named: Some(&named),
                toolkits: self.toolkits.iter().map(|root| self.at(root)).collect(),
                path: Some(&path),
                running: Some(&running),
            };
            let nvcc = (!setting.is_empty()).then(|| self.at(setting));
            locate(&arguments, &place, || Settings { nvcc, ..Settings::default() })
        }
    }

    #[test]
    fn order_of_the_search() {
        let machine = Machine::new(&["scuba/scuba-nvcc", "cuda/nvcc", "other/nvcc", "third/nvcc"]);
        let found = |path, named, setting| machine.locate("-c a.cu", path, named, "", setting).unwrap().program;
        assert_eq!(found("cuda other", "", ""), machine.at("cuda/nvcc"));
        assert_eq!(found("cuda", "", "other/nvcc"), machine.at("other/nvcc"));
        assert_eq!(found("cuda", "third/nvcc", "other/nvcc"), machine.at("third/nvcc"));
        assert_eq!(found("other", "nvcc", ""), machine.at("other/nvcc"));
        assert_eq!(machine.locate("-c a.cu", "scuba", "", "", ""), Err(LocateError::NotFound));
        let wrong = machine.locate("-c a.cu", "cuda", "no/such", "", "").unwrap_err();
        assert_eq!(wrong, LocateError::NotExecutable("SCUBA_NVCC", machine.at("no/such")));
    }

    #[test]
    fn toolkits_come_before_the_path_and_after_settings() {
        let mut machine = Machine::new(&["scuba/scuba-nvcc", "cuda/nvcc", "kit/bin/nvcc", "named/nvcc"]);
        machine.toolkits = vec!["no/such/kit", "kit"];
        let found = |named, setting| machine.locate("-c a.cu", "cuda", named, "", setting).unwrap().program;
        assert_eq!(found("", ""), machine.at("kit/bin/nvcc"));
        assert_eq!(found("named/nvcc", ""), machine.at("named/nvcc"));
        assert_eq!(found("", "named/nvcc"), machine.at("named/nvcc"));
        let launched = machine.locate("nvcc -c a.cu", "cuda", "", "", "").unwrap().program;
        assert_eq!(launched, machine.at("cuda/nvcc"), "a command names its own");
    }

    #[test]
    fn what_is_set_counts_before_what_a_launcher_is_given() {
        let machine = Machine::new(&["scuba/scuba-nvcc", "cuda/nvcc", "set/nvcc", "wrap/nvcc", "bin/ccache"]);
        let launched = machine.at("cuda/nvcc").display().to_string();
        let set = machine.at("set/nvcc");
        for (named, setting) in [("set/nvcc", ""), ("", "set/nvcc")] {
            let alone = machine.locate(&format!("{launched} -c a.cu"), "bin", named, "", setting).unwrap();
            assert_eq!(
                (&alone.program, &alone.nvcc, alone.nvcc_arguments()),
                (&set, &set, &["-c", "a.cu"].map(OsString::from)[..])
            );
            let cached = machine.locate(&format!("ccache {launched} -c a.cu"), "bin", named, "", setting).unwrap();
            assert_eq!((&cached.program, &cached.nvcc), (&machine.at("bin/ccache"), &set));
            assert_eq!(cached.arguments, [set.as_os_str(), OsStr::new("-c"), OsStr::new("a.cu")]);
            assert_eq!(machine.locate("/no/nvcc -c a.cu", "bin", named, "", setting).unwrap().program, set);
        }
        // A configured wrapper that starts the shim with the nvcc that it wraps.
        let wrapped = machine.locate(&format!("{launched} -c a.cu"), "bin", "wrap/nvcc", "wrap/nvcc", "").unwrap();
        assert_eq!(wrapped.program, machine.at("cuda/nvcc"));
        let wrong = machine.locate(&format!("{launched} -c a.cu"), "bin", "no/such", "", "").unwrap_err();
        assert_eq!(wrong, LocateError::NotExecutable("SCUBA_NVCC", machine.at("no/such")));
    }

    #[test]
    fn never_ourselves() {
        let machine = Machine::new(&["scuba/scuba-nvcc", "cuda/nvcc"]);
        std::fs::create_dir_all(machine.at("links")).unwrap();
        symlink(machine.at("scuba/scuba-nvcc"), machine.at("links/nvcc")).unwrap();
        std::fs::create_dir_all(machine.at("hard")).unwrap();
        std::fs::hard_link(machine.at("scuba/scuba-nvcc"), machine.at("hard/nvcc")).unwrap();
        assert_eq!(machine.locate("-c a.cu", "links hard cuda", "", "", "").unwrap().program, machine.at("cuda/nvcc"));
        assert_eq!(machine.locate("-c a.cu", "links hard", "", "", ""), Err(LocateError::NotFound));
        let named = machine.locate("-c a.cu", "cuda", "links/nvcc", "", "").unwrap_err();
        assert_eq!(named, LocateError::Ourselves("SCUBA_NVCC", machine.at("links/nvcc")));
    }

    #[test]
    fn wrappers_that_call_us_again() {
        let machine = Machine::new(&["scuba/scuba-nvcc", "wrap/nvcc", "cuda/nvcc"]);
        assert_eq!(
            machine.locate("-c a.cu", "wrap cuda", "", "wrap/nvcc", "").unwrap().program,
            machine.at("cuda/nvcc")
        );
        assert_eq!(
            machine.locate("-c a.cu", "wrap cuda", "wrap/nvcc", "wrap/nvcc", "").unwrap().program,
            machine.at("cuda/nvcc")
        );
        let circle = machine.locate("-c a.cu", "wrap", "", "wrap/nvcc", "").unwrap_err();
        assert_eq!(circle, LocateError::Circle(machine.at("wrap/nvcc")));
    }

    #[test]
    fn launcher() {
        let machine = Machine::new(&["scuba/scuba-nvcc", "cuda/nvcc", "cuda/nvcc-12.6", "bin/ccache"]);
        let cuda = machine.at("cuda/nvcc");
        let (cuda, ccache) = (cuda.to_str().unwrap(), machine.at("bin/ccache"));
        let locate = |arguments: &str| machine.locate(arguments, "bin cuda", "", "", "").unwrap();
        let with = |program: &Path, words: &str, before, nvcc: &str| Invocation {
            program: program.to_owned(),
            arguments: words.split_whitespace().map(OsString::from).collect(),
            before,
            nvcc: nvcc.into(),
        };
        assert_eq!(locate(&format!("{cuda} -c a.cu")), with(Path::new(cuda), "-c a.cu", 0, cuda));
        assert_eq!(locate("nvcc -c a.cu"), with(Path::new(cuda), "-c a.cu", 0, cuda));
        assert_eq!(locate("./cuda/nvcc-12.6 a.cu").nvcc, machine.at("./cuda/nvcc-12.6"));
        assert_eq!(locate("ccache nvcc -c a.cu"), with(&ccache, "nvcc -c a.cu", 1, cuda));
        assert_eq!(locate("ccache nvcc -c a.cu").nvcc_arguments(), ["-c", "a.cu"]);
        let shim = machine.at("scuba/scuba-nvcc");
        assert_eq!(locate(&format!("{} {cuda} -c a.cu", shim.display())), with(Path::new(cuda), "-c a.cu", 0, cuda));
        assert_eq!(locate(&format!("{} -c a.cu", shim.display())), with(Path::new(cuda), "-c a.cu", 0, cuda));
        let missing = machine.locate("/no/nvcc -c a.cu", "cuda", "", "", "").unwrap_err();
        assert_eq!(missing, LocateError::NotExecutable("the command line", "/no/nvcc".into()));
        let named = |set: &str| machine.locate("nvcc -c a.cu", "bin", set, "", "");
        assert_eq!(named("cuda/nvcc").unwrap(), with(Path::new(cuda), "-c a.cu", 0, cuda), "PATH has no nvcc");
        assert_eq!(named(""), Err(LocateError::NotFound));
        // A source with that name is not a compiler.
        assert_eq!(locate("nvcc.cu -c").arguments, ["nvcc.cu", "-c"]);
        // Nor is a flag's value.
        assert_eq!(locate("-I/opt/nvcc -c a.cu").arguments, ["-I/opt/nvcc", "-c", "a.cu"]);
        assert_eq!(locate("-L/opt/ccache nvcc").arguments, ["-L/opt/ccache", "nvcc"]);
        assert!(!is_nvcc(OsStr::new("nvcc-a")) && !is_nvcc(OsStr::new("nvccx")) && is_nvcc(OsStr::new("/x/nvcc-12.6")));
    }
}
