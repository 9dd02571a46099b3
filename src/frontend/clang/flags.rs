//! Flags with which clang reads a unit as nvcc compiles it.
//!
//! In: a [`TranslationUnit`] and the toolkit. Out: clang's arguments for one side. It runs nothing.

use super::float128;
use super::host_flags::host_flags;
use super::lead::LeadingIncludes;
use super::source_overlay::{Overlay, TemplateBodies};
use super::toolkit::{self, Toolkit};
use crate::extraction::ExtractOptions;
use ir::Side;
use nvcc::arch::{DeviceCompilation, FeatureSet};
use nvcc::unit::{Language, PreprocessorFlag, TranslationUnit};
use std::path::{Path, PathBuf};

/// Compute capabilities that clang 22 compiles for, ascending (clang/lib/Basic/OffloadArch.cpp).
const KNOWN_ARCHES: &[u32] =
    &[30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

/// Compute capabilities that clang knows with the letter `a`.
const LETTERED: &[u32] = &[90, 100, 101, 103, 110, 120, 121];

/// Compute capabilities that need PTX 9.0, which clang does not choose by itself: it treats CUDA 13 as 12.9.
const NEED_PTX_90: &[u32] = &[88, 110];

/// Treatment of `assert` where the command defines `NDEBUG`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asserts {
    /// `NDEBUG` is removed: the asserts of a release build become facts.
    Kept,
    /// `NDEBUG` as in the command.
    AsGiven,
}

/// A name that clang's `__clang_cuda_texture_intrinsics.h` declares and that all texture and surface functions in
/// CUDA's headers call (clang 22).
pub const TEXTURES: &str = "__nv_tex_surf_handler";
/// Flag that suppresses that header.
const WITHOUT_TEXTURES: &str = "-D__CLANG_CUDA_TEXTURE_INTRINSICS_H__";

const DEVICE_ON_BOTH: &str = "-D__SCUBA_DEVICE_ON_BOTH__";

/// clang's messages for host code that calls device functions, the second for constructors (clang/Basic/DiagnosticSemaKinds.td, LLVM 22).
pub const CALLS_DEVICE: [&str; 2] =
    [" not viable: call to __device__ function from __host__ function", " which does not have a default constructor"];

/// Message for an object that device code passes to `printf` (clang/lib/CodeGen/CGGPUBuiltin.cpp, LLVM 22).
pub const OBJECT_PRINTED: &str = "error: cannot compile this non-scalar arg to printf yet";

const EXTENDED_LAMBDA: &str = "-D__CUDACC_EXTENDED_LAMBDA__";

/// Substitute for [`EXTENDED_LAMBDA`]. compat.h turns it into the macro after the headers that clang includes by
/// itself. Otherwise cuda_runtime.h, one of them, would include `<functional>` and with it clang's `<new>` before the
/// device's `malloc` is declared, so that `operator new` of device code would call the host's (clang 22).
const EXTENDED_LAMBDA_BEHIND: &str = "-D__SCUBA_EXTENDED_LAMBDA__";

/// Fidelity with which clang follows the command; the first attempt is [`Fidelity::default`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fidelity {
    pub asserts: Asserts,
    /// Claim to be the host's GCC, so that the same `#if` branches are taken.
    pub as_gcc: bool,
    /// Read clang's header for textures and surfaces. It takes a third of the time of all headers, and most units use
    /// neither. A unit that uses one without this header mentions the undeclared [`TEXTURES`]: clang rejects it rather
    /// than misread it.
    pub textures: bool,
    /// Corrected copies of sources.
    pub overlay: Option<Overlay>,
    pub template_bodies: TemplateBodies,
    /// A file that defines the user's macros after the headers that clang includes by itself. clang includes more of
    /// CUDA's headers than nvcc, and `-DN=4` would break a parameter `N` there.
    pub late_macros: Option<PathBuf>,
    /// A file of macros that rename types of the source, after the headers that clang includes by itself.
    pub own_names: Option<PathBuf>,
    /// Read `__float128` in device code as compat.h's type of that size.
    pub float128: bool,
    /// Let the host code of the device side call device functions: a macro may give them their attribute there alone.
    pub device_on_both: bool,
    /// Read `printf` as any function with an ellipsis. clang passes only numbers and pointers to the device's own.
    pub objects_printed: bool,
    /// Device compilation that is read; `None`: the lowest.
    pub compiled: Option<DeviceCompilation>,
}

impl Default for Fidelity {
    fn default() -> Self {
        Self {
            asserts: Asserts::Kept,
            as_gcc: true,
            textures: false,
            overlay: None,
            template_bodies: TemplateBodies::Read,
            late_macros: None,
            own_names: None,
            float128: false,
            objects_printed: false,
            device_on_both: false,
            compiled: None,
        }
    }
}

/// SCuBA's header, read before everything else.
#[derive(Clone, Copy, Debug)]
pub enum LeadingHeader<'a> {
    Ours(&'a Path),
    /// Precompiled, with the number of source bytes that it covers.
    Precompiled {
        header: &'a Path,
        skipped: usize,
    },
}

/// Flags for what clang writes.
const MESSAGES: [&str; 9] = [
    "-emit-llvm",
    "-c",
    "-Wno-everything",
    "-Qunused-arguments",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-fdiagnostics-print-source-range-info",
    // A rejected instantiation is identified by where it began.
    "-ftemplate-backtrace-limit=0",
    // One correction may be due at many places.
    "-ferror-limit=1000",
];

/// A clang command line for one side of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClangCommand {
    pub arguments: Vec<String>,
    /// Architecture, e.g. `sm_80`; empty on the host side.
    pub arch: String,
    /// Lines for the log.
    pub notes: Vec<String>,
    source: String,
    extra: Vec<String>,
    pub(super) user_includes: Vec<String>,
}

/// Returns the architecture to analyse: the lowest requested one, or the nearest below it that clang knows.
#[must_use]
pub fn analysed_arch(asked: &[u32], default: u32) -> u32 {
    let lowest = asked.iter().copied().min().unwrap_or(default);
    KNOWN_ARCHES.iter().copied().filter(|a| *a <= lowest).max().unwrap_or(KNOWN_ARCHES[0])
}

/// Whether the command defines `NDEBUG` (and does not undefine it again).
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

pub(super) fn is_ndebug(define: &str) -> bool {
    define.split('=').next() == Some("NDEBUG")
}

/// Returns the compilations of a unit's device code, the lowest first; at least one.
#[must_use]
pub fn compilations(unit: &TranslationUnit, toolkit: &Toolkit) -> Vec<DeviceCompilation> {
    let mut all = unit.compiled.clone();
    if all.is_empty() {
        all = unit.architectures.iter().copied().map(DeviceCompilation::plain).collect();
    }
    if all.is_empty() {
        all.push(DeviceCompilation::plain(toolkit.default_arch()));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the compilation that clang reads in place of `compiled`: that of the nearest architecture that it knows.
#[must_use]
pub fn analysed(compiled: DeviceCompilation) -> DeviceCompilation {
    DeviceCompilation { number: analysed_arch(&[compiled.number], compiled.number), ..compiled }
}
/// Returns the device macros that clang does not define like nvcc (CUDA 13.0, `nvcc --dryrun`; feature sets: 12.9).
/// exist since CUDA 12.9.
fn feature_macros(compiled: DeviceCompilation, lettered: bool, version: (u32, u32, u32)) -> Vec<String> {
    let DeviceCompilation { number, features } = compiled;
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

/// Adds the flags of a CUDA side. Returns the architecture of the device side, and lines for the log.
fn cuda_flags(
    a: &mut Vec<String>,
    unit: &TranslationUnit,
    (side, reading): (Side, &Fidelity),
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
    // clang knows no families: the architecture's own feature set has its instructions.
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
        // Without it clang rejects kernels that launch kernels, and makes device variables local to their unit. clang
        // writes the unit's number into unit-local names, so it must not depend on the unit's path.
        a.extend(["-fgpu-rdc", "-cuid=scuba"].map(String::from));
    }
    // cudafe++ knows `typeof` in each standard.
    a.push("-fgnu-keywords".into());
    // CUDA 13 dropped architectures that clang still knows; that matters only to code generation.
    a.push("--no-cuda-version-check".into());
    let read = DeviceCompilation { number, features: compiled.features };
    if reading.compiled.is_none() && (asked.len() > 1 || asked[0] != read) {
        let list: Vec<String> = asked.iter().map(DeviceCompilation::to_string).collect();
        notes.push(format!("{read} is analysed; the command compiles for {}", list.join(", ")));
    }
    if side == Side::Device {
        arch = read.to_string();
    }
    (arch, notes)
}

/// Adds the user's macros and include folders. Returns the files to include before the source.
fn preprocessor_flags(a: &mut Vec<String>, unit: &TranslationUnit, reading: &Fidelity) -> Vec<String> {
    let asserts = reading.asserts;
    let late = reading.late_macros.as_ref();
    let mut user_includes: Vec<String> =
        [late, reading.own_names.as_ref()].into_iter().flatten().flat_map(|file| included(file)).collect();
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

fn included(file: &Path) -> [String; 2] {
    ["-include".into(), file.display().to_string()]
}

/// Whether no header read before the source needs a macro: it is no implementation name (C++ [lex.name]), and none that
/// CUDA's headers use.
fn may_be_late(define: &str) -> bool {
    !define.starts_with('_') && !define.starts_with("CUDA")
}

/// Returns as directives the user's macros that may be defined after clang's own headers; `None` if there are none.
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

/// Flags for readings that clang refuses without them.
fn corrections(reading: &Fidelity) -> impl Iterator<Item = String> {
    let all = [
        (reading.float128, float128::FLAG),
        (reading.objects_printed, "-fno-builtin-printf"),
        (reading.device_on_both, DEVICE_ON_BOTH),
    ];
    all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned())
}

/// Flags that make clang stand for the host's GCC.
fn as_gcc(toolkit: &Toolkit, language: Language) -> Vec<String> {
    let Some(version) = toolkit.host.gnu_version.as_deref() else { return vec![] };
    let stands_for = gnu_version(version, language).map(|v| format!("-fgnuc-version={v}"));
    // clang defines what GCC has from 12 on whichever GCC it stands for.
    let sizes = ["-U__GCC_DESTRUCTIVE_SIZE", "-U__GCC_CONSTRUCTIVE_SIZE"].map(String::from);
    stands_for.into_iter().chain(sizes.into_iter().filter(|_| major(version).is_some_and(|v| v < 12))).collect()
}

impl ClangCommand {
    /// Builds the command for one side, without files.
    #[must_use]
    pub fn new(
        unit: &TranslationUnit,
        side: Side,
        reading: &Fidelity,
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
        // -O1 without passes: lifetime markers and no `optnone`, and no access deleted or merged.
        a.extend(["-O1", "-Xclang", "-disable-llvm-passes"].map(String::from));
        // Without the explicit kind the device side gets line numbers but no variables (clang 22).
        a.extend(["-g", "-Xclang", "-debug-info-kind=limited", "-fno-discard-value-names"].map(String::from));
        a.extend(MESSAGES.map(String::from));
        if side == Side::Device {
            // Where this error is suppressed, clang's code traps at the call, and nvcc's goes on.
            a.push("-Werror=non-pod-varargs".into());
        }
        if reading.as_gcc {
            a.extend(as_gcc(toolkit, unit.language));
        }
        if let Some(o) = &reading.overlay {
            a.extend(["-ivfsoverlay".into(), o.file.display().to_string()]);
        }
        if let Some(d) = &toolkit.host.gcc_folder {
            a.push(format!("--gcc-install-dir={}", d.display()));
        }
        // gcc warns of a C++ standard for C and ignores it; clang rejects it.
        let is_theirs = |s: &str| unit.language != Language::C || !s.contains("++");
        if let Some(s) = unit.standard.as_ref().filter(|s| is_theirs(s)) {
            a.push(format!("-std={s}"));
        }
        if unit.language == Language::Cuda && !reading.textures {
            a.push(WITHOUT_TEXTURES.into());
        }
        a.extend(corrections(reading));
        // scuba.h tests this macro.
        a.push("-D__SCUBA__".into());
        // Profiler ranges, whose library CCCL's headers would load (3.0, cub/detail/nvtx.cuh).
        a.push("-DCCCL_DISABLE_NVTX".into());
        let of_nvcc = nvcc_macros(unit, toolkit.version).into_iter();
        a.extend(of_nvcc.map(|m| if m == EXTENDED_LAMBDA { EXTENDED_LAMBDA_BEHIND.into() } else { m }));
        let user_includes = preprocessor_flags(&mut a, unit, reading);
        let host = host_flags(&unit.host_flags, reading.asserts == Asserts::Kept);
        a.extend(host.into_iter().filter(|f| !f.starts_with("-std=") || is_theirs(f)));
        // nvcc puts its own folders after the user's; clang adds the toolkit's include folder in CUDA mode itself.
        for p in &toolkit.includes {
            a.extend(["-isystem".into(), p.display().to_string()]);
        }
        for p in &toolkit.system_includes {
            a.extend(["-isystem".into(), p.display().to_string()]);
        }
        // GCC's own headers (`omp.h`), after all of clang's.
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

    /// Returns clang's arguments without files and without the user's pre-includes.
    #[must_use]
    pub fn without_files(&self) -> Vec<String> {
        [&self.arguments[..], &self.extra].concat()
    }

    /// Returns the leading includes of the source; `None` where the user's flags include something before it, or
    /// replace a file.
    pub(super) fn lead(&self, directory: &Path) -> Option<LeadingIncludes> {
        let plain = self.user_includes.is_empty() && !self.arguments.iter().any(|a| a == "-ivfsoverlay");
        plain.then(|| LeadingIncludes::of(Path::new(&self.source), directory)).flatten()
    }

    /// Adds SCuBA's header, the outputs and the source.
    #[must_use]
    pub fn files(mut self, before: LeadingHeader<'_>, bitcode: &Path, depfile: &Path) -> Self {
        let path = |p: &Path| p.display().to_string();
        match before {
            LeadingHeader::Ours(header) => self.arguments.extend(["-include".into(), path(header)]),
            LeadingHeader::Precompiled { header, skipped } => {
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

/// Returns the GCC version to claim. glibc treats `_Float128` as a keyword of C since GCC 7 and `_Float32` as one of
/// C++ since GCC 13; clang 22 has neither.
fn gnu_version(host: &str, language: Language) -> Option<String> {
    let major: u32 = host.split('.').next()?.parse().ok()?;
    match language {
        Language::C if major >= 7 => None,
        Language::Cuda | Language::Cxx if major >= 13 => Some("12.9.0".into()),
        _ => Some(host.to_owned()),
    }
}

/// Returns the macros that nvcc defines in every compilation, and those of its language flags (CUDA 13.0,
/// `nvcc -E -Xcompiler -dM`). clang itself defines `__CUDACC__` and `__CUDA_ARCH__`.
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

/// Returns the macros of units with tile kernels, for both sides (CUDA 13.5, `nvcc --dryrun`).
fn tile_macros(unit: &TranslationUnit) -> impl Iterator<Item = String> + use<> {
    let of_tiles = |f: &String| matches!(f.trim_start_matches('-'), "enable-tile" | "tile-only" | "simt-only");
    let macros = ["__NV_TL__=__tile__", "__NV_TL_BUILTIN__=__tile_builtin__", "__CUDACC_TILE__=1"];
    let are_defined = unit.language_flags.iter().any(of_tiles);
    macros.into_iter().filter(move |_| are_defined).map(str::to_owned)
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;
