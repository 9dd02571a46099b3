//! Finds the CUDA toolkit, its version, and the folders that nvcc adds from it by itself.

use nvcc::unit::{Language, TranslationUnit};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Folder of empty files that stand in for headers that clang includes by itself and a toolkit lacks.
pub(super) const STAND_INS: &str = "stand-ins";

/// A CUDA toolkit as nvcc uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// nvcc's `TOP`; `None` for host-only units without a toolkit.
    pub root: Option<PathBuf>,
    /// Version, e.g. `(13, 0, 88)`; zeros where unknown.
    pub version: (u32, u32, u32),
    /// `-I` folders of nvcc.profile.
    pub includes: Vec<PathBuf>,
    /// `-isystem` folders of nvcc.profile.
    pub system_includes: Vec<PathBuf>,
    /// Host compiler, as far as clang should imitate it.
    pub host: HostCompiler,
}

/// Facts about the host compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCompiler {
    /// Version of a GCC, e.g. `12.2.0`.
    pub gnu_version: Option<String>,
    /// GCC's own library folder, which leads clang to the same libstdc++.
    pub gcc_folder: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum ToolkitError {
    #[error("no CUDA toolkit found; set SCUBA_NVCC or [nvcc] path")]
    None,
}

impl Toolkit {
    /// Finds the toolkit of the unit's nvcc, else `cuda_path`, else the one that the environment names.
    ///
    /// # Errors
    /// Fails where a CUDA unit has none.
    pub fn find(unit: &TranslationUnit, cuda_path: Option<&Path>) -> Result<Self, ToolkitError> {
        let host = HostCompiler::ask(unit.host_compiler.as_deref().unwrap_or(Path::new("g++")), &unit.directory);
        let bin =
            unit.nvcc.as_deref().and_then(bin_folder).or_else(|| {
                candidates(cuda_path).into_iter().map(|r| r.join("bin")).find(|b| has_headers(&b.join("..")))
            });
        let Some(bin) = bin else {
            if unit.language == Language::Cuda {
                return Err(ToolkitError::None);
            }
            return Ok(Self { root: None, version: (0, 0, 0), includes: vec![], system_includes: vec![], host });
        };
        let root = files::normalise(&bin, Path::new(".."));
        let profile = std::fs::read_to_string(bin.join("nvcc.profile")).unwrap_or_default();
        let (mut includes, system_includes) = profile_includes(&profile, &bin, &root);
        if includes.is_empty() {
            includes.push(root.join("include"));
        }
        let version = unit
            .nvcc
            .as_deref()
            .and_then(nvcc_version)
            .or_else(|| header_version(&root.join("include/cuda.h")))
            .unwrap_or((0, 0, 0));
        Ok(Self { root: Some(root), version, includes, system_includes, host })
    }

    /// Returns the toolkit's folders, as given and with links resolved.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        let given = self.root.iter().chain(&self.includes).chain(&self.system_includes);
        given.flat_map(|p| std::iter::once(p.clone()).chain(p.canonicalize().ok())).collect()
    }

    /// Adds an empty file for a header that clang includes in every CUDA unit and nvcc does not, if the toolkit lacks
    /// it: cuRAND is a wheel of its own (clang 22, `__clang_cuda_runtime_wrapper.h`, which only works around the
    /// header's declarations). `kept`: a persistent folder for the file.
    ///
    /// # Errors
    /// Fails where the file cannot be written.
    pub(super) fn stand_in(&mut self, kept: &Path) -> std::io::Result<()> {
        const HEADER: &str = "curand_mtgp32_kernel.h";
        let root = self.root.iter().map(|r| r.join("include"));
        let folders = root.chain(self.includes.iter().chain(&self.system_includes).cloned());
        if self.root.is_none() || folders.into_iter().any(|f| f.join(HEADER).is_file()) {
            return Ok(());
        }
        let folder = kept.join(STAND_INS);
        if !folder.join(HEADER).is_file() {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(HEADER), "")?;
        }
        self.system_includes.push(folder);
        Ok(())
    }

    /// Returns the compute capability that nvcc compiles for by default (release notes: 12.x 5.2, 13.0 7.5).
    #[must_use]
    pub fn default_arch(&self) -> u32 {
        default_arch(self.version)
    }
}

/// Returns the default compute capability of a toolkit version.
pub fn default_arch((major, ..): (u32, u32, u32)) -> u32 {
    match major {
        0 | 13.. => 75,
        11 | 12 => 52,
        _ => 30,
    }
}

/// Returns a unit's language standard if nvcc warns of it and ignores it because the host compiler is too old (13.3 and
/// later accept `c++23` with each host compiler).
pub(super) fn ignored_standard(unit: &TranslationUnit) -> Option<&str> {
    // All host compilers of the oldest toolkits have these.
    const OLD: [&str; 4] = ["c++03", "c++11", "c++14", "c++17"];
    let standard = unit.standard.as_deref().filter(|s| unit.language == Language::Cuda && !OLD.contains(s))?;
    let nvcc = unit.nvcc.as_deref()?;
    let mut command = Command::new(nvcc);
    command.args([&format!("-std={standard}"), "--dryrun", "-E", "-x", "cu", "/dev/null"]);
    if let Some(compiler) = &unit.host_compiler {
        command.arg("-ccbin").arg(compiler);
    }
    let out = command.current_dir(&unit.directory).stdin(Stdio::null()).output();
    let out = out.ok().filter(|out| out.status.success())?;
    leaves_out(&String::from_utf8_lossy(&out.stderr), standard).then_some(standard)
}

/// Whether none of the commands that a dry run of nvcc prints has the standard.
fn leaves_out(dry_run: &str, standard: &str) -> bool {
    let flag = format!("-std={standard}");
    let mut commands = dry_run.lines().filter_map(|l| l.strip_prefix("#$ ")).filter(|l| l.contains(" -E ")).peekable();
    commands.peek().is_some() && !commands.any(|l| l.split(' ').any(|word| word == flag))
}

fn has_headers(root: &Path) -> bool {
    root.join("include/cuda_runtime.h").is_file()
}

/// Returns the folder of `nvcc.profile`: beside nvcc as invoked, else beside the target of a link, else as nvcc itself
/// reports (distributions install nvcc as a script).
fn bin_folder(nvcc: &Path) -> Option<PathBuf> {
    let beside = |p: &Path| p.parent().filter(|d| d.join("nvcc.profile").is_file()).map(Path::to_owned);
    beside(nvcc).or_else(|| beside(&nvcc.canonicalize().ok()?)).or_else(|| {
        let out =
            Command::new(nvcc).args(["--dryrun", "-E", "-x", "cu", "/dev/null"]).stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        let top = text.lines().find_map(|l| l.strip_prefix("#$ TOP="))?;
        Some(Path::new(top.trim()).join("bin"))
    })
}

fn candidates(cuda_path: Option<&Path>) -> Vec<PathBuf> {
    let from_env = ["CUDA_PATH", "CUDA_HOME"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let fixed = ["/usr/local/cuda", "/usr/lib/cuda", "/opt/cuda"].map(PathBuf::from);
    cuda_path.map(Path::to_owned).into_iter().chain(from_env).chain(fixed).collect()
}

/// Extracts the `-I` and `-isystem` folders from an nvcc.profile. Its lines are `NAME op value`, with `$(VAR)` in
/// values.
fn profile_includes(profile: &str, bin: &Path, root: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let expand = |value: &str| {
        value
            .replace("$(_HERE_)", &bin.to_string_lossy())
            .replace("$(TOP)", &root.to_string_lossy())
            .replace("$(_SPACE_)", " ")
            .replace("$(_TARGET_DIR_)", "")
            .replace("$(_TARGET_SIZE_)", "")
    };
    let (mut includes, mut system) = (vec![], vec![]);
    for line in profile.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let words = shlex::split(&expand(value)).unwrap_or_default();
        let name = name.trim_end_matches(['+', ' ', '\t']).trim();
        if name != "INCLUDES" && name != "SYSTEM_INCLUDES" {
            continue;
        }
        let mut words = words.into_iter();
        while let Some(w) = words.next() {
            let (list, rest) = match (w.strip_prefix("-isystem"), w.strip_prefix("-I")) {
                (Some(rest), _) => (&mut system, rest.to_owned()),
                (_, Some(rest)) => (&mut includes, rest.to_owned()),
                _ => continue,
            };
            let Some(folder) = Some(rest).filter(|r| !r.is_empty()).or_else(|| words.next()) else { continue };
            list.push(files::normalise(root, Path::new(&folder)));
        }
    }
    (includes, system)
}

/// Parses `(13, 0, 88)` from `Cuda compilation tools, release 13.0, V13.0.88`.
fn nvcc_version(nvcc: &Path) -> Option<(u32, u32, u32)> {
    let out = Command::new(nvcc).arg("--version").stdin(Stdio::null()).output().ok()?;
    parse_nvcc_version(&String::from_utf8_lossy(&out.stdout))
}

fn parse_nvcc_version(text: &str) -> Option<(u32, u32, u32)> {
    let v = text
        .split_whitespace()
        .find_map(|w| w.strip_prefix('V').filter(|r| r.starts_with(|c: char| c.is_ascii_digit())))?;
    let mut parts = v.split('.').map(|p| p.parse::<u32>().ok());
    Some((parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)))
}

/// Reads the version from `#define CUDA_VERSION 13000`.
fn header_version(cuda_h: &Path) -> Option<(u32, u32, u32)> {
    let text = std::fs::read_to_string(cuda_h).ok()?;
    let n: u32 = text.lines().find_map(|l| l.trim().strip_prefix("#define CUDA_VERSION "))?.trim().parse().ok()?;
    Some((n / 1000, n % 1000 / 10, 0))
}

impl HostCompiler {
    /// Asks a GCC for its version and folder; empty if it is no GCC or cannot be run.
    fn ask(compiler: &Path, directory: &Path) -> Self {
        let compiler = if compiler.is_dir() { compiler.join("g++") } else { compiler.to_owned() };
        let ask = |flag: &str| {
            let out = Command::new(&compiler).arg(flag).current_dir(directory).stdin(Stdio::null()).output().ok()?;
            out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
        };
        // clang answers -dumpfullversion with an error, GCC below 7 as well.
        let gnu_version = ask("-dumpfullversion").filter(|v| v.starts_with(|c: char| c.is_ascii_digit()));
        let gcc_folder = gnu_version
            .as_ref()
            .and_then(|_| ask("-print-libgcc-file-name"))
            .and_then(|p| Path::new(&p).parent().map(Path::to_owned))
            .filter(|d| d.join("crtbegin.o").is_file());
        Self { gnu_version, gcc_folder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of nvcc 13.5.37 with g++ 12.
    #[test]
    fn a_standard_that_the_host_compiler_lacks_is_left_out() {
        let taken = "#$ TOP=/c/bin/..\n#$ gcc -std=c++20 -D__CUDA_ARCH__=750 -E -x c++  -D__CUDACC__ \"/dev/null\" \n";
        let ignored = "#$ TOP=/c/bin/..\nnvcc warning : The -std=c++23 flag is not supported with the configured host compiler. Flag will be ignored.\n#$ gcc -D__CUDA_ARCH__=750 -E -x c++  -D__CUDACC__ \"/dev/null\" \n";
        assert!(!leaves_out(taken, "c++20") && leaves_out(ignored, "c++23"));
        assert!(!leaves_out("nvcc fatal   : Value 'c++23' is not defined for option 'std'\n", "c++23"));
    }

    #[test]
    fn the_profile_gives_include_folders() {
        let profile = "\nTOP = $(_HERE_)/..\nINCLUDES        +=  \"-I$(TOP)/$(_TARGET_DIR_)/include\" $(_SPACE_)\n\
                       SYSTEM_INCLUDES +=  \"-isystem\" \"$(TOP)/$(_TARGET_DIR_)/include/cccl\" $(_SPACE_)\nLIBRARIES =+ \"-L$(TOP)/lib\"\n";
        let (i, s) = profile_includes(profile, Path::new("/opt/cuda/bin"), Path::new("/opt/cuda"));
        assert_eq!(i, [Path::new("/opt/cuda/include")]);
        assert_eq!(s, [Path::new("/opt/cuda/include/cccl")]);
    }

    #[test]
    fn versions_are_read() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n";
        assert_eq!(parse_nvcc_version(text), Some((13, 0, 88)));
        assert_eq!(parse_nvcc_version("Vendor says nothing"), None);
    }
}
