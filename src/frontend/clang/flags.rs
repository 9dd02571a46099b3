//! What clang is told so that it reads a unit as nvcc compiles it.
//!
//! In: a [`TranslationUnit`] and the toolkit. Out: clang's arguments for one side. It runs nothing.

use super::toolkit::Toolkit;
use crate::frontend::ExtractOptions;
use crate::ir::Side;
use crate::nvcc::unit::{Language, PreprocessorFlag, TranslationUnit};
use std::path::{Path, PathBuf};

/// Compute capabilities that clang 22 compiles for, ascending (clang/lib/Basic/OffloadArch.cpp).
const KNOWN_ARCHES: &[u32] =
    &[30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

/// Those of them that need PTX 9.0, which clang does not choose by itself: it takes CUDA 13 for 12.9.
const NEED_PTX_90: &[u32] = &[88, 110];

/// What becomes of `assert` where the command says `NDEBUG`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asserts {
    /// `NDEBUG` is left out: a release build's asserts are facts to us.
    Kept,
    /// As the command says.
    AsGiven,
}

/// How closely clang follows the command; the first attempt is [`Reading::default`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub asserts: Asserts,
    /// Claim to be the host's GCC, so that the same `#if` branches are taken.
    pub as_gcc: bool,
    /// Corrected copies of sources, for `-ivfsoverlay`.
    pub overlay: Option<PathBuf>,
}

impl Default for Reading {
    fn default() -> Self { Self { asserts: Asserts::Kept, as_gcc: true, overlay: None } }
}

/// A clang command line for one side of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClangCommand {
    pub arguments: Vec<String>,
    /// `sm_80`; empty on the host side.
    pub arch: String,
    /// What the log should say.
    pub notes: Vec<String>,
    source: String,
    extra: Vec<String>,
    user_includes: Vec<String>,
}

/// The architecture to analyse: the lowest asked for, or the nearest below it that clang knows.
#[must_use]
pub fn analysed_arch(asked: &[u32], default: u32) -> u32 {
    let lowest = asked.iter().copied().min().unwrap_or(default);
    KNOWN_ARCHES.iter().copied().filter(|a| *a <= lowest).max().unwrap_or(KNOWN_ARCHES[0])
}

/// Does the command define `NDEBUG` (and not undefine it again)?
#[must_use]
pub fn defines_ndebug(unit: &TranslationUnit) -> bool {
    let mut defined = false;
    for flag in &unit.preprocessor {
        match flag {
            PreprocessorFlag::Define(d) if is_ndebug(d) => defined = true,
            PreprocessorFlag::Undefine(d) if d == "NDEBUG" => defined = false,
            _ => {}
        }
    }
    defined || host_flags(&unit.host_flags, true) != host_flags(&unit.host_flags, false)
}

fn is_ndebug(define: &str) -> bool { define.split('=').next() == Some("NDEBUG") }

impl ClangCommand {
    /// The command for one side, files left out.
    #[must_use]
    pub fn new(unit: &TranslationUnit, side: Side, reading: &Reading, toolkit: &Toolkit, options: &ExtractOptions) -> Self {
        let mut a: Vec<String> = vec![];
        let mut notes = vec![];
        let mut arch = String::new();
        let cuda = unit.language == Language::Cuda;
        a.extend(["-x", match unit.language { Language::Cuda => "cuda", Language::Cxx => "c++", Language::C => "c" }].map(String::from));
        if cuda {
            a.push(match side { Side::Device => "--cuda-device-only", Side::Host => "--cuda-host-only" }.into());
            if let Some(root) = &toolkit.root { a.push(format!("--cuda-path={}", root.display())); }
            let number = analysed_arch(&unit.architectures, toolkit.default_arch());
            a.push(format!("--cuda-gpu-arch=sm_{number}"));
            if NEED_PTX_90.contains(&number) { a.push("--cuda-feature=+ptx90".into()); }
            // CUDA 13 dropped architectures that clang still knows; only code generation would care.
            a.push("--no-cuda-version-check".into());
            let mut asked = unit.architectures.clone();
            asked.sort_unstable();
            asked.dedup();
            if asked.len() > 1 || asked.first().is_some_and(|f| *f != number) {
                let list: Vec<String> = asked.iter().map(|n| format!("sm_{n}")).collect();
                notes.push(format!("sm_{number} is analysed; the command compiles for {}", list.join(", ")));
            }
            if side == Side::Device { arch = format!("sm_{number}"); }
        }
        // -O1 without passes: lifetimes and no `optnone`, and not one access deleted or merged.
        a.extend(["-O1", "-Xclang", "-disable-llvm-passes"].map(String::from));
        // Without the explicit kind the device side gets line numbers but no variables (clang 22).
        a.extend(["-g", "-Xclang", "-debug-info-kind=limited", "-fno-discard-value-names"].map(String::from));
        a.extend(["-emit-llvm", "-c", "-w", "-Qunused-arguments", "-fno-color-diagnostics", "-fno-caret-diagnostics"].map(String::from));
        if reading.as_gcc {
            a.extend(toolkit.host.gnu_version.as_deref().and_then(|v| gnu_version(v, unit.language)).map(|v| format!("-fgnuc-version={v}")));
        }
        if let Some(o) = &reading.overlay { a.extend(["-ivfsoverlay".into(), o.display().to_string()]); }
        if let Some(d) = &toolkit.host.gcc_folder { a.push(format!("--gcc-install-dir={}", d.display())); }
        if let Some(s) = &unit.standard { a.push(format!("-std={s}")); }
        a.extend(nvcc_macros(unit, toolkit));
        let mut user_includes = vec![];
        for flag in &unit.preprocessor {
            match flag {
                PreprocessorFlag::Define(d) if reading.asserts == Asserts::Kept && is_ndebug(d) => {}
                PreprocessorFlag::Define(d) => a.push(format!("-D{d}")),
                PreprocessorFlag::Undefine(d) => a.push(format!("-U{d}")),
                PreprocessorFlag::Include(p) => a.push(format!("-I{}", p.display())),
                PreprocessorFlag::SystemInclude(p) => a.extend(["-isystem".into(), p.display().to_string()]),
                PreprocessorFlag::PreInclude(p) => user_includes.extend(["-include".into(), p.display().to_string()]),
            }
        }
        a.extend(host_flags(&unit.host_flags, reading.asserts == Asserts::Kept));
        // nvcc puts its own folders behind the user's; clang adds the toolkit's include folder in CUDA mode itself.
        for p in &toolkit.includes { a.extend(["-isystem".into(), p.display().to_string()]); }
        for p in &toolkit.system_includes { a.extend(["-isystem".into(), p.display().to_string()]); }
        // GCC's own headers (`omp.h`), behind everything of clang's.
        if let Some(d) = &toolkit.host.gcc_folder { a.extend(["-idirafter".into(), d.join("include").display().to_string()]); }
        // Fortified libc functions hide memcpy behind __memcpy_chk.
        a.push("-U_FORTIFY_SOURCE".into());
        Self {
            arguments: a, arch, notes, user_includes,
            source: unit.source.display().to_string(),
            extra: options.extra_flags.clone(),
        }
    }

    /// Adds the header of ours, the outputs and the source.
    #[must_use]
    pub fn files(mut self, compat: &Path, bitcode: &Path, depfile: &Path) -> Self {
        let path = |p: &Path| p.display().to_string();
        self.arguments.extend(["-include".into(), path(compat)]);
        self.arguments.append(&mut self.user_includes);
        self.arguments.append(&mut self.extra);
        self.arguments.extend(["-MD".into(), "-MF".into(), path(depfile), "-o".into(), path(bitcode)]);
        // A source whose name begins with a dash must not become a flag.
        self.arguments.extend(["--".into(), std::mem::take(&mut self.source)]);
        self
    }
}

/// The GCC version to claim. glibc takes `_Float128` for a keyword of C since GCC 7 and `_Float32` for one of C++ since
/// GCC 13; clang 22 has neither.
fn gnu_version(host: &str, language: Language) -> Option<String> {
    let major: u32 = host.split('.').next()?.parse().ok()?;
    match language {
        Language::C if major >= 7 => None,
        Language::Cuda | Language::Cxx if major >= 13 => Some("12.9.0".into()),
        _ => Some(host.to_owned()),
    }
}

/// Macros that nvcc defines in every compilation, and those that its language flags stand for
/// (CUDA 13.0, `nvcc -E -Xcompiler -dM`). clang itself defines `__CUDACC__` and `__CUDA_ARCH__`.
fn nvcc_macros(unit: &TranslationUnit, toolkit: &Toolkit) -> Vec<String> {
    let (major, minor, build) = toolkit.version;
    if unit.nvcc.is_none() && unit.language != Language::Cuda { return vec![]; }
    let mut out: Vec<String> = vec!["__NVCC__".into(), "__NVCC_DIAG_PRAGMA_SUPPORT__=1".into()];
    if major > 0 {
        out.push(format!("__CUDACC_VER_MAJOR__={major}"));
        out.push(format!("__CUDACC_VER_MINOR__={minor}"));
        out.push(format!("__CUDACC_VER_BUILD__={build}"));
        out.push(format!("__CUDA_API_VER_MAJOR__={major}"));
        out.push(format!("__CUDA_API_VER_MINOR__={minor}"));
    }
    if major >= 13 { out.push("__CUDACC_DEVICE_ATOMIC_BUILTINS__=1".into()); }
    let mut arches = unit.architectures.clone();
    if arches.is_empty() { arches.push(toolkit.default_arch()); }
    arches.sort_unstable();
    arches.dedup();
    let list: Vec<String> = arches.iter().map(|a| format!("{a}0")).collect();
    out.push(format!("__CUDA_ARCH_LIST__={}", list.join(",")));
    if unit.language == Language::Cuda {
        if unit.relocatable { out.push("__CUDACC_RDC__".into()); }
        let mut flags = unit.language_flags.iter().map(String::as_str).peekable();
        while let Some(flag) = flags.next() {
            let (name, value) = flag.split_once('=').map_or((flag, None), |(n, v)| (n, Some(v)));
            match name.trim_start_matches('-') {
                "extended-lambda" | "expt-extended-lambda" => out.push("__CUDACC_EXTENDED_LAMBDA__".into()),
                "expt-relaxed-constexpr" => out.push("__CUDACC_RELAXED_CONSTEXPR__".into()),
                "device-debug" | "G" => out.push("__CUDACC_DEBUG__".into()),
                "default-stream" => {
                    let value = value.or_else(|| flags.next_if(|n| !n.starts_with('-')));
                    if value == Some("per-thread") { out.push("CUDA_API_PER_THREAD_DEFAULT_STREAM".into()); }
                }
                _ => {}
            }
        }
    }
    out.into_iter().map(|m| format!("-D{m}")).collect()
}

/// What matters to clang of the flags for the host compiler, without `NDEBUG` where asked.
fn host_flags(flags: &[String], drop_ndebug: bool) -> Vec<String> {
    /// Flags whose value may be the next word.
    const WITH_VALUE: &[&str] = &["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
    /// Flags that change what the source means.
    const LANGUAGE: &[&str] = &[
        "-fexceptions", "-fno-exceptions", "-frtti", "-fno-rtti", "-fshort-enums", "-fno-short-enums", "-fwrapv",
        "-fno-wrapv", "-fno-strict-overflow", "-fsigned-char", "-funsigned-char", "-fms-extensions", "-fchar8_t",
        "-fno-char8_t", "-fpermissive", "-fno-operator-names", "-fgnu-keywords", "-fcoroutines", "-ansi", "-pthread",
        "-fno-threadsafe-statics", "-nostdinc", "-nostdinc++", "-m32", "-m64", "-fblocks",
    ];
    let mut out = vec![];
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if let Some(name) = WITH_VALUE.iter().filter(|n| flag.starts_with(**n)).max_by_key(|n| n.len()) {
            let value = match flag.strip_prefix(*name) {
                Some("") | None => flags.next().cloned(),
                Some(v) => Some(v.to_owned()),
            };
            let Some(value) = value else { break };
            if drop_ndebug && *name == "-D" && is_ndebug(&value) { continue; }
            if name.len() == 2 { out.push(format!("{name}{value}")); } else { out.extend([(*name).to_owned(), value]); }
        } else if LANGUAGE.contains(&flag.as_str()) || flag.starts_with("-std=") {
            out.push(flag.clone());
        } else if flag.starts_with("-march=") || flag.starts_with("-mcpu=") || is_feature(flag) {
            // Instruction sets belong to the host's half of either compilation.
            out.extend(["-Xarch_host".into(), flag.clone()]);
        } else if flag == "-fopenmp" || flag.starts_with("-fopenmp=") || flag == "-qopenmp" {
            // Parallel regions are read as the sequential code they annotate: one thread's view of the same
            // statements, instead of outlined functions called by a run-time.
            out.push("-D_OPENMP=201511".into());
        }
    }
    out
}

/// `-mavx2`, `-mno-sse4.1`, `-mfma`: x86 instruction sets.
fn is_feature(flag: &str) -> bool {
    ["avx", "sse", "ssse", "fma", "f16c", "bmi", "aes", "popcnt", "lzcnt", "amx", "pclmul", "rdrnd"].iter()
        .any(|f| flag.strip_prefix("-mno-").or_else(|| flag.strip_prefix("-m")).is_some_and(|r| r.starts_with(f)))
}
