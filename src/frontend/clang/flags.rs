//! What clang is told so that it reads a unit as nvcc compiles it.
//!
//! In: a [`TranslationUnit`] and the toolkit. Out: clang's arguments for one side. It runs nothing.

use super::float128;
use super::lead::Lead;
use super::source_overlay::Overlay;
use super::toolkit::{self, Toolkit};
use crate::extraction::ExtractOptions;
use ir::Side;
use nvcc::arch::{Compiled, FeatureSet};
use nvcc::unit::{Language, PreprocessorFlag, TranslationUnit};
use std::path::{Path, PathBuf};

/// Compute capabilities that clang 22 compiles for, ascending (clang/lib/Basic/OffloadArch.cpp).
const KNOWN_ARCHES: &[u32] =
    &[30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

/// Those of them that clang knows with the letter `a`.
const LETTERED: &[u32] = &[90, 100, 101, 103, 110, 120, 121];

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

/// What clang's `__clang_cuda_texture_intrinsics.h` declares, and all functions of textures and surfaces in CUDA's headers call (clang 22).
pub const TEXTURES: &str = "__nv_tex_surf_handler";
/// Where it is defined, that header is not read.
const WITHOUT_TEXTURES: &str = "-D__CLANG_CUDA_TEXTURE_INTRINSICS_H__";

const EXTENDED_LAMBDA: &str = "-D__CUDACC_EXTENDED_LAMBDA__";

/// compat.h defines it, behind the headers that clang includes by itself: cuda_runtime.h among them would include `<functional>`, and with it clang's
/// `<new>` before the device's `malloc` is declared, so that `operator new` of device code called the host's (clang 22).
const EXTENDED_LAMBDA_BEHIND: &str = "-D__SCUBA_EXTENDED_LAMBDA__";

/// How closely clang follows the command; the first attempt is [`Reading::default`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub asserts: Asserts,
    /// Claim to be the host's GCC, so that the same `#if` branches are taken.
    pub as_gcc: bool,
    /// Read clang's own header of what textures and surfaces do: a third of all headers' time, and most units have neither. Whoever uses one
    /// refers to [`TEXTURES`], which is not declared then: clang refuses the unit instead of reading it otherwise.
    pub textures: bool,
    /// Corrected copies of sources.
    pub overlay: Option<Overlay>,
    /// A file that defines the user's macros behind what clang includes by itself: it includes more of CUDA's headers than nvcc does, and
    /// `-DN=4` makes nonsense of a parameter `N` there.
    pub late_macros: Option<PathBuf>,
    /// Read `__float128` of device code as compat.h's type of that size.
    pub float128: bool,
    /// The compilation of device code that is read; `None`: the lowest.
    pub compiled: Option<Compiled>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            asserts: Asserts::Kept,
            as_gcc: true,
            textures: false,
            overlay: None,
            late_macros: None,
            float128: false,
            compiled: None,
        }
    }
}

/// The header of ours, read before everything else.
#[derive(Clone, Copy, Debug)]
pub enum Before<'a> {
    Ours(&'a Path),
    /// Precompiled, with so many bytes of the source.
    Precompiled {
        header: &'a Path,
        skipped: usize,
    },
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

fn is_ndebug(define: &str) -> bool {
    define.split('=').next() == Some("NDEBUG")
}

/// The compilations of a unit's device code, the lowest first; at least one.
#[must_use]
pub fn compilations(unit: &TranslationUnit, toolkit: &Toolkit) -> Vec<Compiled> {
    let mut all = unit.compiled.clone();
    if all.is_empty() {
        all = unit.architectures.iter().copied().map(Compiled::plain).collect();
    }
    if all.is_empty() {
        all.push(Compiled::plain(toolkit.default_arch()));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What clang reads a compilation as: the nearest architecture that it knows.
#[must_use]
pub fn analysed(compiled: Compiled) -> Compiled {
    Compiled { number: analysed_arch(&[compiled.number], compiled.number), ..compiled }
}

/// The macros of device code that clang does not define as nvcc does (CUDA 13.0, `nvcc --dryrun`). Those of sets of features came with CUDA 12.9.
fn feature_macros(compiled: Compiled, lettered: bool, version: (u32, u32, u32)) -> Vec<String> {
    let Compiled { number, features } = compiled;
    let mut out = vec!["-DCUDA_DOUBLE_MATH_FUNCTIONS".to_owned()];
    match features {
        FeatureSet::Plain => return out,
        FeatureSet::Family if lettered => out.push(format!("-U__CUDA_ARCH_FEAT_SM{number}_ALL")),
        FeatureSet::Specific if !lettered => out.push(format!("-D__CUDA_ARCH_FEAT_SM{number}_ALL")),
        FeatureSet::Family | FeatureSet::Specific => {}
    }
    if version >= (12, 9, 0) {
        if features == FeatureSet::Specific {
            out.push(format!("-D__CUDA_ARCH_SPECIFIC__={number}0"));
        }
        out.push(format!("-D__CUDA_ARCH_FAMILY_SPECIFIC__={number}0"));
    }
    out
}

/// Flags of CUDA's two sides. Gives the architecture of the device side, and what is to be said of it.
fn cuda_flags(
    a: &mut Vec<String>,
    unit: &TranslationUnit,
    (side, reading): (Side, &Reading),
    toolkit: &Toolkit,
) -> (String, Vec<String>) {
    let (mut arch, mut notes) = (String::new(), vec![]);
    a.push(
        match side {
            Side::Device => "--cuda-device-only",
            Side::Host => "--cuda-host-only",
        }
        .into(),
    );
    if let Some(root) = &toolkit.root {
        a.push(format!("--cuda-path={}", root.display()));
    }
    let asked = compilations(unit, toolkit);
    let compiled = reading.compiled.unwrap_or(asked[0]);
    let number = analysed_arch(&[compiled.number], compiled.number);
    // clang knows no family: the architecture's own set has its instructions.
    let lettered = compiled.features != FeatureSet::Plain && number == compiled.number && LETTERED.contains(&number);
    let letter = if lettered { "a" } else { "" };
    a.push(format!("--cuda-gpu-arch=sm_{number}{letter}"));
    if side == Side::Device {
        a.extend(feature_macros(compiled, lettered, toolkit.version));
    }
    if NEED_PTX_90.contains(&number) {
        a.push("--cuda-feature=+ptx90".into());
    }
    if unit.relocatable {
        // Without it clang refuses kernels that launch kernels, and keeps variables of the device to their unit. The unit's number, which
        // it writes into names that are the unit's own, must not depend on where that lies.
        a.extend(["-fgpu-rdc", "-cuid=scuba"].map(String::from));
    }
    // CUDA 13 dropped architectures that clang still knows; only code generation would care.
    a.push("--no-cuda-version-check".into());
    let read = Compiled { number, features: compiled.features };
    if reading.compiled.is_none() && (asked.len() > 1 || asked[0] != read) {
        let list: Vec<String> = asked.iter().map(Compiled::to_string).collect();
        notes.push(format!("{read} is analysed; the command compiles for {}", list.join(", ")));
    }
    if side == Side::Device {
        arch = read.to_string();
    }
    (arch, notes)
}

/// The user's own macros and folders. Gives what is to be included before the source.
fn preprocessor_flags(a: &mut Vec<String>, unit: &TranslationUnit, reading: &Reading) -> Vec<String> {
    let asserts = reading.asserts;
    let late = reading.late_macros.as_ref();
    let mut user_includes: Vec<String> =
        late.into_iter().flat_map(|file| ["-include".into(), file.display().to_string()]).collect();
    for flag in &unit.preprocessor {
        match flag {
            PreprocessorFlag::Define(d) | PreprocessorFlag::Undefine(d) if late.is_some() && may_be_late(d) => {}
            PreprocessorFlag::Define(d) if asserts == Asserts::Kept && is_ndebug(d) => {}
            PreprocessorFlag::Define(d) => a.push(format!("-D{d}")),
            PreprocessorFlag::Undefine(d) => a.push(format!("-U{d}")),
            PreprocessorFlag::Include(p) => a.push(format!("-I{}", p.display())),
            PreprocessorFlag::SystemInclude(p) => a.extend(["-isystem".into(), p.display().to_string()]),
            PreprocessorFlag::PreInclude(p) => user_includes.extend(["-include".into(), p.display().to_string()]),
        }
    }
    user_includes
}

/// Whether a macro is one that no header needs that is read before the source: not one of an implementation (C++ [lex.name]), and none that
/// CUDA's headers ask for.
fn may_be_late(define: &str) -> bool {
    !define.starts_with('_') && !define.starts_with("CUDA")
}

/// The user's macros that need not be known before the source, as directives; `None` where there are none.
#[must_use]
pub fn late_macros(unit: &TranslationUnit, asserts: Asserts) -> Option<String> {
    let mut text = String::new();
    for flag in &unit.preprocessor {
        match flag {
            PreprocessorFlag::Define(d) if asserts == Asserts::Kept && is_ndebug(d) => {}
            PreprocessorFlag::Define(d) if may_be_late(d) => {
                let (name, value) = d.split_once('=').unwrap_or((d, "1"));
                text.push_str(&format!("#define {name} {value}\n"));
            }
            PreprocessorFlag::Undefine(name) if may_be_late(name) => text.push_str(&format!("#undef {name}\n")),
            _ => {}
        }
    }
    Some(text).filter(|t| !t.is_empty())
}

/// The first number of a version.
fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// Flags that make clang stand for the host's GCC.
fn as_gcc(toolkit: &Toolkit, language: Language) -> Vec<String> {
    let Some(version) = toolkit.host.gnu_version.as_deref() else { return vec![] };
    let stands_for = gnu_version(version, language).map(|v| format!("-fgnuc-version={v}"));
    // clang defines what GCC has from 12 on whichever GCC it stands for.
    let lacks = major(version).is_some_and(|v| v < 12);
    let sizes = ["-U__GCC_DESTRUCTIVE_SIZE", "-U__GCC_CONSTRUCTIVE_SIZE"].into_iter().filter(|_| lacks);
    stands_for.into_iter().chain(sizes.map(String::from)).collect()
}

impl ClangCommand {
    /// The command for one side, files left out.
    #[must_use]
    pub fn new(
        unit: &TranslationUnit,
        side: Side,
        reading: &Reading,
        toolkit: &Toolkit,
        options: &ExtractOptions,
    ) -> Self {
        let mut a: Vec<String> = vec![];
        a.extend(
            [
                "-x",
                match unit.language {
                    Language::Cuda => "cuda",
                    Language::Cxx => "c++",
                    Language::C => "c",
                },
            ]
            .map(String::from),
        );
        let (arch, notes) = if unit.language == Language::Cuda {
            cuda_flags(&mut a, unit, (side, reading), toolkit)
        } else {
            Default::default()
        };
        // -O1 without passes: lifetimes and no `optnone`, and not one access deleted or merged.
        a.extend(["-O1", "-Xclang", "-disable-llvm-passes"].map(String::from));
        // Without the explicit kind the device side gets line numbers but no variables (clang 22).
        a.extend(["-g", "-Xclang", "-debug-info-kind=limited", "-fno-discard-value-names"].map(String::from));
        a.extend(
            [
                "-emit-llvm",
                "-c",
                "-Wno-everything",
                "-Qunused-arguments",
                "-fno-color-diagnostics",
                "-fno-caret-diagnostics",
                // What is instantiated in vain is told by where it began.
                "-ftemplate-backtrace-limit=0",
            ]
            .map(String::from),
        );
        if reading.as_gcc {
            a.extend(as_gcc(toolkit, unit.language));
        }
        if let Some(o) = &reading.overlay {
            a.extend(["-ivfsoverlay".into(), o.file.display().to_string()]);
        }
        if let Some(d) = &toolkit.host.gcc_folder {
            a.push(format!("--gcc-install-dir={}", d.display()));
        }
        // gcc warns of one that is C++'s, and takes its own; clang refuses it.
        let is_theirs = |s: &str| unit.language != Language::C || !s.contains("++");
        if let Some(s) = unit.standard.as_ref().filter(|s| is_theirs(s)) {
            a.push(format!("-std={s}"));
        }
        if unit.language == Language::Cuda && !reading.textures {
            a.push(WITHOUT_TEXTURES.into());
        }
        if reading.float128 {
            a.push(float128::FLAG.into());
        }
        // What scuba.h asks for.
        a.push("-D__SCUBA__".into());
        // Ranges for a profiler, whose library CCCL's headers would load (3.0, cub/detail/nvtx.cuh).
        a.push("-DCCCL_DISABLE_NVTX".into());
        let of_nvcc = nvcc_macros(unit, toolkit.version).into_iter();
        a.extend(of_nvcc.map(|m| if m == EXTENDED_LAMBDA { EXTENDED_LAMBDA_BEHIND.into() } else { m }));
        let user_includes = preprocessor_flags(&mut a, unit, reading);
        let host = host_flags(&unit.host_flags, reading.asserts == Asserts::Kept);
        a.extend(host.into_iter().filter(|f| !f.starts_with("-std=") || is_theirs(f)));
        // nvcc puts its own folders behind the user's; clang adds the toolkit's include folder in CUDA mode itself.
        for p in &toolkit.includes {
            a.extend(["-isystem".into(), p.display().to_string()]);
        }
        for p in &toolkit.system_includes {
            a.extend(["-isystem".into(), p.display().to_string()]);
        }
        // GCC's own headers (`omp.h`), behind everything of clang's.
        if let Some(d) = &toolkit.host.gcc_folder {
            a.extend(["-idirafter".into(), d.join("include").display().to_string()]);
        }
        // Fortified libc functions hide memcpy behind __memcpy_chk.
        a.push("-U_FORTIFY_SOURCE".into());
        Self {
            arguments: a,
            arch,
            notes,
            user_includes,
            source: unit.source.display().to_string(),
            extra: options.extra_flags.clone(),
        }
    }

    /// What clang gets beside files and what the user includes before the source.
    #[must_use]
    pub fn without_files(&self) -> Vec<String> {
        [&self.arguments[..], &self.extra].concat()
    }

    /// What the source begins with; `None` where the user's flags include something before it, or replace a file.
    pub(super) fn lead(&self, directory: &Path) -> Option<Lead> {
        let plain = self.user_includes.is_empty() && !self.arguments.iter().any(|a| a == "-ivfsoverlay");
        plain.then(|| Lead::of(Path::new(&self.source), directory)).flatten()
    }

    /// Adds the header of ours, the outputs and the source.
    #[must_use]
    pub fn files(mut self, before: Before<'_>, bitcode: &Path, depfile: &Path) -> Self {
        let path = |p: &Path| p.display().to_string();
        match before {
            Before::Ours(header) => self.arguments.extend(["-include".into(), path(header)]),
            Before::Precompiled { header, skipped } => {
                self.arguments.extend(["-Xclang".into(), "-include-pch".into(), "-Xclang".into(), path(header)]);
                if skipped > 0 {
                    self.arguments.extend(["-Xclang".into(), format!("-preamble-bytes={skipped},1")]);
                }
            }
        }
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
pub fn nvcc_macros(unit: &TranslationUnit, version: (u32, u32, u32)) -> Vec<String> {
    let (major, minor, build) = version;
    if unit.nvcc.is_none() && unit.language != Language::Cuda {
        return vec![];
    }
    let mut out: Vec<String> = vec!["__NVCC__".into(), "__NVCC_DIAG_PRAGMA_SUPPORT__=1".into()];
    if major > 0 {
        out.push(format!("__CUDACC_VER_MAJOR__={major}"));
        out.push(format!("__CUDACC_VER_MINOR__={minor}"));
        out.push(format!("__CUDACC_VER_BUILD__={build}"));
        out.push(format!("__CUDA_API_VER_MAJOR__={major}"));
        out.push(format!("__CUDA_API_VER_MINOR__={minor}"));
    }
    if major >= 13 {
        out.push("__CUDACC_DEVICE_ATOMIC_BUILTINS__=1".into());
    }
    let mut arches = unit.architectures.clone();
    if arches.is_empty() {
        arches.push(toolkit::default_arch(version));
    }
    arches.sort_unstable();
    arches.dedup();
    let list: Vec<String> = arches.iter().map(|a| format!("{a}0")).collect();
    out.push(format!("__CUDA_ARCH_LIST__={}", list.join(",")));
    if unit.language == Language::Cuda {
        out.extend(tile_macros(unit));
        if unit.relocatable {
            out.push("__CUDACC_RDC__".into());
        }
        let mut flags = unit.language_flags.iter().map(String::as_str).peekable();
        while let Some(flag) = flags.next() {
            let (name, value) = flag.split_once('=').map_or((flag, None), |(n, v)| (n, Some(v)));
            match name.trim_start_matches('-') {
                "extended-lambda" | "expt-extended-lambda" => out.push("__CUDACC_EXTENDED_LAMBDA__".into()),
                "expt-relaxed-constexpr" => out.push("__CUDACC_RELAXED_CONSTEXPR__".into()),
                "device-debug" | "G" => out.push("__CUDACC_DEBUG__".into()),
                "default-stream" => {
                    let value = value.or_else(|| flags.next_if(|n| !n.starts_with('-')));
                    if value == Some("per-thread") {
                        out.push("CUDA_API_PER_THREAD_DEFAULT_STREAM".into());
                    }
                }
                _ => {}
            }
        }
    }
    out.into_iter().map(|m| format!("-D{m}")).collect()
}

/// The macros of units with tile kernels, for either half of them (CUDA 13.5, `nvcc --dryrun`).
fn tile_macros(unit: &TranslationUnit) -> impl Iterator<Item = String> + use<> {
    let of_tiles = |f: &String| matches!(f.trim_start_matches('-'), "enable-tile" | "tile-only" | "simt-only");
    let macros = ["__NV_TL__=__tile__", "__NV_TL_BUILTIN__=__tile_builtin__", "__CUDACC_TILE__=1"];
    let are_defined = unit.language_flags.iter().any(of_tiles);
    macros.into_iter().filter(move |_| are_defined).map(str::to_owned)
}

/// The version of OpenMP that g++ 12 has: 4.5.
const OPENMP: &str = "-D_OPENMP=201511";

/// What matters to clang of the flags for the host compiler, without `NDEBUG` where asked.
fn host_flags(flags: &[String], drop_ndebug: bool) -> Vec<String> {
    /// Flags whose value may be the next word.
    const WITH_VALUE: &[&str] = &["-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
    /// Flags that change what the source means.
    const LANGUAGE: &[&str] = &[
        "-fexceptions",
        "-fno-exceptions",
        "-frtti",
        "-fno-rtti",
        "-ffreestanding",
        "-fms-extensions",
        "-fchar8_t",
        "-fno-char8_t",
        "-fpermissive",
        "-fno-operator-names",
        "-fgnu-keywords",
        "-fcoroutines",
        "-ansi",
        "-pthread",
        "-fno-elide-constructors",
        "-fno-threadsafe-statics",
        "-nostdinc",
        "-nostdinc++",
        "-m32",
        "-m64",
        "-fblocks",
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
            if drop_ndebug && *name == "-D" && is_ndebug(&value) {
                continue;
            }
            if name.len() == 2 {
                out.push(format!("{name}{value}"));
            } else {
                out.extend([(*name).to_owned(), value]);
            }
        } else if LANGUAGE.contains(&flag.as_str()) || flag.starts_with("-std=") {
            out.push(flag.clone());
        } else if flag == "-funsigned-char" {
            // The macro is seen on both sides.
            out.extend(["-Xarch_host".into(), flag.clone(), "-Xarch_device".into(), "-D__CHAR_UNSIGNED__=1".into()]);
        } else if HOST_ONLY.contains(&flag.as_str()) || flag == "-fpack-struct" || flag.starts_with("-fpack-struct=") {
            out.extend(["-Xarch_host".into(), flag.clone()]);
        } else if flag.starts_with("-march=") || flag.starts_with("-mcpu=") || is_feature(flag) {
            // Instruction sets belong to the host's half of either compilation.
            out.extend(["-Xarch_host".into(), flag.clone()]);
        } else if flag == "-fopenmp" || flag.starts_with("-fopenmp=") || flag == "-qopenmp" {
            // The host's parallel regions become functions that the run-time is given (LLVM 22, OMPIRBuilder: `__kmpc_fork_call`): what they write is
            // unknown. On the device side pragmas mean nothing; g++, which preprocesses that too, defines the macro.
            out.extend(["-Xarch_host", "-fopenmp", "-Xarch_device", OPENMP].map(String::from));
        }
    }
    out
}

/// Flags that change how the host's data lie or what its operations do. nvcc gives them to the host's compiler alone: cicc lays out the device's
/// data as ever (CUDA 13.0, tried one by one).
const HOST_ONLY: &[&str] = &[
    "-fno-short-enums",
    "-fno-short-wchar",
    "-fno-signed-char",
    "-fno-strict-overflow",
    "-fno-unsigned-char",
    "-fno-wrapv",
    "-fshort-enums",
    "-fshort-wchar",
    "-fsigned-char",
    "-ftrapv",
    "-fwrapv",
    "-malign-double",
    "-mlong-double-128",
    "-mlong-double-64",
    "-mlong-double-80",
    "-mms-bitfields",
    "-mno-ms-bitfields",
];

/// GCC's flags of that kind that clang 22 lacks.
const LACKING: &[&str] = &[
    "-fno-signed-bitfields",
    "-funsigned-bitfields",
    "-fpcc-struct-return",
    "-freg-struct-return",
    "-fsingle-precision-constant",
    "-m128bit-long-double",
    "-m96bit-long-double",
    "-mno-align-double",
    "-mx32",
];

/// Whether clang lacks a flag that changes the host's code.
pub(super) fn is_lacking(flag: &str) -> bool {
    LACKING.contains(&flag)
        || ["-fabi-version=", "-fexec-charset=", "-finput-charset=", "-fwide-exec-charset=", "-fsso-struct="]
            .iter()
            .any(|f| flag.starts_with(f))
}

/// `-mavx2`, `-mno-sse4.1`, `-mfma`: x86 instruction sets.
fn is_feature(flag: &str) -> bool {
    ["avx", "sse", "ssse", "fma", "f16c", "bmi", "aes", "popcnt", "lzcnt", "amx", "pclmul", "rdrnd"]
        .iter()
        .any(|f| flag.strip_prefix("-mno-").or_else(|| flag.strip_prefix("-m")).is_some_and(|r| r.starts_with(f)))
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;
