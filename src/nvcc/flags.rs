//! nvcc's flags as data: one row per flag, with the form of its value and its effect on the analysis.
//!
//! In: nothing. Out: [`TABLE`] and [`find`]. This module knows nothing of command lines; [`super::parse`] reads those.
//!
//! The rows are those of `nvcc --help` of CUDA 13.0, the hidden ones that the driver accepts (`-Xcudafe`, `-Xcicc`, …;
//! tried one by one against 13.0.88), and the additional ones of 13.5 (tried one by one against 13.5's `--dryrun`).
//! `tests/build/flags.rs` compares the table with the installed nvcc's `--help`.
//! Trying every row showed how nvcc 13.0 takes values:
//! - `-short VALUE`, `-short=VALUE`, `--long VALUE` and `--long=VALUE` for each flag that has a value; the value after
//!   `=` may be empty;
//! - `-sVALUE` only for single letters: `-D -I -L -O -U -l -t`. An exact name wins, so `-time` is not `-t ime`;
//! - one dash for short names, two for long ones; `--arch` and `-gpu-architecture` are unknown, and so are
//!   abbreviations;
//! - a separate value is taken whatever it is: `-I a.cu` leaves no input. Only `-Ofc` and `-hls` may stand alone, before
//!   another flag or at the end.

use super::phase::CompilePhase;

/// Form of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagValue {
    None,
    /// A single value, not cut at commas.
    One,
    /// A single value, which may be left out: a separate word is the value unless it is a flag.
    Optional,
    /// Cut at commas by the rules of [`super::words::list`].
    List,
    /// `true` or `false`; nvcc refuses anything else.
    Boolean,
}

impl FlagValue {
    /// Whether the word after a flag that stands alone is its value.
    #[must_use]
    pub fn takes(self, next: &[u8]) -> bool {
        match self {
            FlagValue::None => false,
            FlagValue::Optional => next == b"-" || !next.starts_with(b"-"),
            FlagValue::One | FlagValue::List | FlagValue::Boolean => true,
        }
    }
}

/// Effect of a flag on the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagEffect {
    /// Ignored: diagnostics, code generation, passes that are not analysed.
    Nothing,
    /// The command shows or deletes something and compiles nothing.
    NoCompilation,
    Phase(CompilePhase),
    /// `-dc`: [`CompilePhase::Compile`], relocatable device code.
    DeviceC,
    /// `-dw`: [`CompilePhase::Compile`], whole-program device code.
    DeviceW,
    Output,
    OutputDirectory,
    /// `-MD`, `-MMD`.
    DependenciesWithCompile,
    DependencyFile,
    Define,
    Undefine,
    Include,
    SystemInclude,
    PreInclude,
    Library,
    LibraryPath,
    HostCompiler,
    HostFlags,
    LinkerFlags,
    ForwardToHostCompiler,
    ForwardToHostLinker,
    ForwardToBoth,
    SourceLanguage,
    Standard,
    /// `-stdlib`: passed to the host compiler if that is clang.
    StandardLibrary,
    Architecture,
    /// `-code`: images to assemble; the virtual architecture decides what is compiled.
    Code,
    GenerateCode,
    RelocatableDeviceCode,
    /// `-dlto`: device code is relocatable, whatever `-rdc` says (`nvcc --dryrun`, 13.0 and 13.5).
    DeviceLinkTimeOptimization,
    Shared,
    RelocatableLink,
    HostLinkerScript,
    OptionsFile,
    /// Changes the meaning of the language; passed to the front end under its long name.
    Language,
    /// Alternative name of the [`FlagEffect::Language`] flag given here.
    LanguageAlias(&'static str),
}

#[derive(Debug)]
pub struct Flag {
    /// Long name with its two dashes.
    pub long: &'static str,
    /// Short name with its one dash; empty if there is none.
    pub short: &'static str,
    pub value: FlagValue,
    pub effect: FlagEffect,
}

const fn flag(long: &'static str, short: &'static str, value: FlagValue, effect: FlagEffect) -> Flag {
    Flag { long, short, value, effect }
}

use FlagEffect as E;
use FlagValue as V;

/// Table of nvcc's flags, in the order of `nvcc --help`.
pub static TABLE: &[Flag] = &[
    // Compilation phase.
    flag("--cuda", "-cuda", V::None, E::Phase(CompilePhase::CudaToCxx)),
    flag("--cubin", "-cubin", V::None, E::Phase(CompilePhase::Cubin)),
    flag("--fatbin", "-fatbin", V::None, E::Phase(CompilePhase::Fatbin)),
    flag("--ptx", "-ptx", V::None, E::Phase(CompilePhase::Ptx)),
    flag("--optix-ir", "-optix-ir", V::None, E::Phase(CompilePhase::OptixIr)),
    flag("--ltoir", "-ltoir", V::None, E::Phase(CompilePhase::LtoIr)),
    flag("--preprocess", "-E", V::None, E::Phase(CompilePhase::Preprocess)),
    flag("--generate-dependencies", "-M", V::None, E::Phase(CompilePhase::Dependencies)),
    flag("--generate-nonsystem-dependencies", "-MM", V::None, E::Phase(CompilePhase::Dependencies)),
    flag("--generate-dependencies-with-compile", "-MD", V::None, E::DependenciesWithCompile),
    flag("--generate-nonsystem-dependencies-with-compile", "-MMD", V::None, E::DependenciesWithCompile),
    flag("--dependency-output", "-MF", V::One, E::DependencyFile),
    flag("--generate-dependency-targets", "-MP", V::None, E::Nothing),
    flag("--compile", "-c", V::None, E::Phase(CompilePhase::Compile)),
    flag("--device-c", "-dc", V::None, E::DeviceC),
    flag("--device-w", "-dw", V::None, E::DeviceW),
    flag("--device-link", "-dlink", V::None, E::Phase(CompilePhase::DeviceLink)),
    flag("--link", "-link", V::None, E::Phase(CompilePhase::Link)),
    flag("--lib", "-lib", V::None, E::Phase(CompilePhase::Archive)),
    flag("--run", "-run", V::None, E::Phase(CompilePhase::Link)),
    // Files and paths.
    flag("--output-file", "-o", V::One, E::Output),
    flag("--pre-include", "-include", V::List, E::PreInclude),
    flag("--objdir-as-tempdir", "-objtemp", V::None, E::Nothing),
    flag("--library", "-l", V::List, E::Library),
    flag("--define-macro", "-D", V::List, E::Define),
    flag("--undefine-macro", "-U", V::List, E::Undefine),
    flag("--include-path", "-I", V::List, E::Include),
    flag("--system-include", "-isystem", V::List, E::SystemInclude),
    flag("--library-path", "-L", V::List, E::LibraryPath),
    flag("--output-directory", "-odir", V::One, E::OutputDirectory),
    flag("--compiler-bindir", "-ccbin", V::One, E::HostCompiler),
    flag("--allow-unsupported-compiler", "-allow-unsupported-compiler", V::None, E::Nothing),
    flag("--archiver-binary", "-arbin", V::One, E::Nothing),
    flag("--cudart", "-cudart", V::One, E::Nothing),
    flag("--cudadevrt", "-cudadevrt", V::One, E::Nothing),
    flag("--libdevice-directory", "-ldir", V::One, E::Nothing),
    flag("--target-directory", "-target-dir", V::One, E::Language),
    flag("--use-local-env", "-use-local-env", V::None, E::Nothing),
    flag("--force-cl-env-setup", "-force-cl-env-setup", V::None, E::Nothing),
    // Behaviour of compiler and linker.
    flag("--profile", "-pg", V::None, E::Nothing),
    flag("--debug", "-g", V::None, E::Nothing),
    // Defines __CUDACC_DEBUG__.
    flag("--device-debug", "-G", V::None, E::Language),
    flag("--generate-line-info", "-lineinfo", V::None, E::Nothing),
    flag("--optimization-info", "-opt-info", V::List, E::Nothing),
    flag("--optimize", "-O", V::One, E::Nothing),
    flag("--Ofast-compile", "-Ofc", V::Optional, E::Nothing),
    flag("--dopt", "-dopt", V::One, E::Nothing),
    flag("--dlink-time-opt", "-dlto", V::None, E::DeviceLinkTimeOptimization),
    flag("--lto", "-lto", V::None, E::Nothing),
    flag("--gen-opt-lto", "-gen-opt-lto", V::None, E::Nothing),
    flag("--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", V::One, E::Nothing),
    flag("--ftemplate-depth", "-ftemplate-depth", V::One, E::Language),
    flag("--no-exceptions", "-noeh", V::None, E::Language),
    flag("--shared", "-shared", V::None, E::Shared),
    flag("--x", "-x", V::One, E::SourceLanguage),
    flag("--std", "-std", V::One, E::Standard),
    // Chooses the library of a host compiler that is clang (nvcc 13.5).
    flag("--stdlib", "-stdlib", V::One, E::StandardLibrary),
    flag("--no-host-device-initializer-list", "-nohdinitlist", V::None, E::Language),
    flag("--no-host-device-move-forward", "-nohdmoveforward", V::None, E::Language),
    flag("--expt-relaxed-constexpr", "-expt-relaxed-constexpr", V::None, E::Language),
    flag("--relaxed-constexpr", "-relaxed-constexpr", V::None, E::LanguageAlias("--expt-relaxed-constexpr")),
    flag("--extended-lambda", "-extended-lambda", V::None, E::Language),
    flag("--expt-extended-lambda", "-expt-extended-lambda", V::None, E::LanguageAlias("--extended-lambda")),
    // Tile kernels (nvcc 13.5).
    flag("--enable-tile", "-enable-tile", V::None, E::Language),
    flag("--tile-preview", "-tile-preview", V::One, E::Nothing),
    flag("--tile-only", "-tile-only", V::None, E::Language),
    flag("--simt-only", "-simt-only", V::None, E::Language),
    flag("--tilebc", "-tilebc", V::None, E::Phase(CompilePhase::TileBc)),
    flag("--tilecubin", "-tilecubin", V::None, E::Phase(CompilePhase::TileCubin)),
    flag("--tilefatbin", "-tilefatbin", V::None, E::Phase(CompilePhase::TileFatbin)),
    flag("--tileiras-options", "-Xtileiras", V::List, E::Nothing),
    flag("--machine", "-m", V::One, E::Nothing),
    flag("--m64", "-m64", V::None, E::Nothing),
    // Options for one phase.
    flag("--compiler-options", "-Xcompiler", V::List, E::HostFlags),
    flag("--linker-options", "-Xlinker", V::List, E::LinkerFlags),
    flag("--archive-options", "-Xarchive", V::List, E::Nothing),
    flag("--ptxas-options", "-Xptxas", V::List, E::Nothing),
    flag("--nvlink-options", "-Xnvlink", V::List, E::Nothing),
    // New in nvcc 13.5.
    flag("--nvprune-options", "-Xnvprune", V::List, E::Nothing),
    flag("--apply-controls", "-apply-controls", V::One, E::Nothing),
    // Accepted and not shown by --help.
    flag("--cudafe-options", "-Xcudafe", V::List, E::Nothing),
    flag("--cicc-options", "-Xcicc", V::List, E::Nothing),
    flag("--fatbin-options", "-Xfatbin", V::List, E::Nothing),
    flag("--nvdisasm-options", "-Xnvdisasm", V::List, E::Nothing),
    flag("--uumn", "-uumn", V::None, E::Nothing),
    flag("--list-opts", "-list-opts", V::None, E::Nothing),
    // Guiding the driver.
    flag("--static-global-template-stub", "-static-global-template-stub", V::Boolean, E::Nothing),
    flag("--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", V::Boolean, E::Nothing),
    flag("--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", V::None, E::ForwardToHostCompiler),
    flag("--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", V::None, E::ForwardToHostLinker),
    flag("--forward-unknown-opts", "-forward-unknown-opts", V::None, E::ForwardToBoth),
    flag("--dont-use-profile", "-noprof", V::None, E::Language),
    flag("--dryrun", "-dryrun", V::None, E::NoCompilation),
    flag("--verbose", "-v", V::None, E::Nothing),
    flag("--verbose2", "-v2", V::None, E::Nothing),
    flag("--fmax-errors", "-fmax-errors", V::One, E::Nothing),
    flag("--threads", "-t", V::One, E::Nothing),
    flag("--split-compile", "-split-compile", V::One, E::Nothing),
    flag("--split-compile-extended", "-split-compile-extended", V::One, E::Nothing),
    flag("--fdevice-syntax-only", "-fdevice-syntax-only", V::None, E::Nothing),
    flag("--fdevice-time-trace", "-fdevice-time-trace", V::One, E::Nothing),
    flag("--fdevice-time-trace-granularity", "-fdevice-time-trace-granularity", V::One, E::Nothing),
    flag("--keep", "-keep", V::None, E::Nothing),
    flag("--keep-dir", "-keep-dir", V::One, E::Nothing),
    flag("--save-temps", "-save-temps", V::None, E::Nothing),
    flag("--clean-targets", "-clean", V::None, E::NoCompilation),
    flag("--time", "-time", V::One, E::Nothing),
    flag("--run-args", "-run-args", V::List, E::Nothing),
    flag("--input-drive-prefix", "-idp", V::One, E::Nothing),
    flag("--dependency-drive-prefix", "-ddp", V::One, E::Nothing),
    flag("--drive-prefix", "-dp", V::One, E::Nothing),
    flag("--dependency-target-name", "-MT", V::One, E::Nothing),
    flag("--no-align-double", "", V::None, E::Nothing),
    flag("--no-device-link", "-nodlink", V::None, E::Nothing),
    // GPU code generation.
    flag("--gpu-architecture", "-arch", V::One, E::Architecture),
    flag("--gpu-code", "-code", V::List, E::Code),
    flag("--generate-code", "-gencode", V::One, E::GenerateCode),
    flag("--relocatable-device-code", "-rdc", V::Boolean, E::RelocatableDeviceCode),
    flag("--entries", "-e", V::List, E::Nothing),
    flag("--maxrregcount", "-maxrregcount", V::One, E::Nothing),
    flag("--use_fast_math", "-use_fast_math", V::None, E::Language),
    flag("--ftz", "-ftz", V::Boolean, E::Language),
    flag("--prec-div", "-prec-div", V::Boolean, E::Language),
    flag("--prec-sqrt", "-prec-sqrt", V::Boolean, E::Language),
    flag("--fmad", "-fmad", V::Boolean, E::Language),
    flag("--extra-device-vectorization", "-extra-device-vectorization", V::None, E::Nothing),
    flag("--default-stream", "-default-stream", V::One, E::Language),
    // Generic.
    flag("--disable-warnings", "-w", V::None, E::Nothing),
    flag("--keep-device-functions", "-keep-device-functions", V::None, E::Nothing),
    flag("--source-in-ptx", "-src-in-ptx", V::None, E::Nothing),
    flag("--restrict", "-restrict", V::None, E::Language),
    flag("--Wreorder", "-Wreorder", V::None, E::Nothing),
    flag("--Wdefault-stream-launch", "-Wdefault-stream-launch", V::None, E::Nothing),
    flag("--Wmissing-launch-bounds", "-Wmissing-launch-bounds", V::None, E::Nothing),
    // New in nvcc 13.5.
    flag("--Wconversion", "-Wconversion", V::None, E::Nothing),
    flag("--Wext-lambda-captures-this", "-Wext-lambda-captures-this", V::None, E::Nothing),
    flag("--Wno-deprecated-declarations", "-Wno-deprecated-declarations", V::None, E::Nothing),
    flag("--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", V::None, E::Nothing),
    flag("--Werror", "-Werror", V::List, E::Nothing),
    flag("--resource-usage", "-res-usage", V::None, E::Nothing),
    // Defines __CUDACC_EWP__.
    flag("--extensible-whole-program", "-ewp", V::None, E::Language),
    flag("--no-compress", "-no-compress", V::None, E::Nothing),
    flag("--qpp-config", "-qpp-config", V::One, E::Nothing),
    flag("--compile-as-tools-patch", "-astoolspatch", V::None, E::Nothing),
    flag("--list-gpu-code", "-code-ls", V::None, E::NoCompilation),
    flag("--list-gpu-arch", "-arch-ls", V::None, E::NoCompilation),
    flag("--display-error-number", "-err-no", V::None, E::Nothing),
    flag("--no-display-error-number", "-no-err-no", V::None, E::Nothing),
    flag("--diag-error", "-diag-error", V::List, E::Nothing),
    flag("--diag-suppress", "-diag-suppress", V::List, E::Nothing),
    flag("--diag-warn", "-diag-warn", V::List, E::Nothing),
    flag("--host-linker-script", "-hls", V::Optional, E::HostLinkerScript),
    flag("--augment-host-linker-script", "-aug-hls", V::None, E::Nothing),
    flag("--relocatable-link", "-r", V::None, E::RelocatableLink),
    flag("--brief-diagnostics", "-brief-diag", V::Boolean, E::Nothing),
    flag("--jump-table-density", "-jtd", V::One, E::Nothing),
    flag("--relocatable-ptx", "-reloc-ptx", V::None, E::Nothing),
    flag("--device-stack-protector", "-device-stack-protector", V::Boolean, E::Nothing),
    flag("--compress-mode", "-compress-mode", V::One, E::Nothing),
    flag("--frandom-seed", "-frandom-seed", V::One, E::Nothing),
    flag("--sanitize", "-sanitize", V::One, E::Nothing),
    // New in nvcc 13.5.
    flag("--fdevice-sanitize", "-fdevice-sanitize", V::One, E::Nothing),
    flag("--concat", "-concat", V::None, E::Nothing),
    flag("--prune", "-prune", V::None, E::Nothing),
    flag("--skip-ptx-semantics-check", "-skip-ptx-semantics-check", V::None, E::Nothing),
    flag("--utf-8", "-utf-8", V::None, E::Nothing),
    flag("--safety-compatibility", "-safety-compat", V::None, E::Nothing),
    flag("--jobserver", "-jobserver", V::None, E::Nothing),
    flag("--help", "-h", V::None, E::NoCompilation),
    flag("--version", "-V", V::None, E::NoCompilation),
    flag("--options-file", "-optf", V::List, E::OptionsFile),
];

/// Letters of the short flags whose value may follow without a separator.
const JOINED: &[u8] = b"DILOUlt";

/// Match of a word of the command line in the table.
#[derive(Debug, PartialEq, Eq)]
pub enum FlagMatch<'w> {
    /// A flag without its value: it has none, or the next word is the value.
    Alone(&'static Flag),
    /// A flag with the value in the same word.
    With(&'static Flag, &'w [u8]),
    /// A word with a dash that is not in the table.
    Unknown,
}

impl PartialEq for Flag {
    fn eq(&self, other: &Flag) -> bool {
        self.long == other.long
    }
}
impl Eq for Flag {}

/// Matches one word that begins with a dash.
pub fn find(word: &[u8]) -> FlagMatch<'_> {
    if let Some(flag) = exact(word) {
        return FlagMatch::Alone(flag);
    }
    if let Some(cut) = word.iter().position(|&byte| byte == b'=')
        && let Some(flag) = exact(&word[..cut])
        && flag.value != FlagValue::None
    {
        return FlagMatch::With(flag, &word[cut + 1..]);
    }
    if word.len() > 2
        && JOINED.contains(&word[1])
        && let Some(flag) = exact(&word[..2])
    {
        return FlagMatch::With(flag, &word[2..]);
    }
    FlagMatch::Unknown
}

fn exact(name: &[u8]) -> Option<&'static Flag> {
    if name.len() < 2 {
        return None;
    }
    TABLE.iter().find(|flag| flag.short.as_bytes() == name || flag.long.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn name(word: &str) -> (&'static str, Option<String>) {
        match find(word.as_bytes()) {
            FlagMatch::Alone(flag) => (flag.long, None),
            FlagMatch::With(flag, value) => (flag.long, Some(String::from_utf8_lossy(value).into_owned())),
            FlagMatch::Unknown => ("unknown", None),
        }
    }

    #[test]
    fn names_are_unique_and_dashed() {
        let mut seen = HashSet::new();
        for flag in TABLE {
            assert!(flag.long.starts_with("--"), "{}", flag.long);
            assert!(
                flag.short.is_empty() || (flag.short.starts_with('-') && !flag.short.starts_with("--")),
                "{}",
                flag.short
            );
            assert!(seen.insert(flag.long), "{} twice", flag.long);
            assert!(flag.short.is_empty() || seen.insert(flag.short), "{} twice", flag.short);
        }
    }

    /// Expected values are nvcc 13.0's own.
    #[test]
    fn values_joined_and_not() {
        for (word, expected) in [
            ("-arch", ("--gpu-architecture", None)),
            ("-arch=sm_80", ("--gpu-architecture", Some("sm_80"))),
            ("-archsm_80", ("unknown", None)),
            ("--arch=sm_80", ("unknown", None)),
            ("-gpu-architecture=sm_80", ("unknown", None)),
            ("--gpu-arch=sm_80", ("unknown", None)),
            ("-ofoo.o", ("unknown", None)),
            ("-o=foo.o", ("--output-file", Some("foo.o"))),
            ("-xcu", ("unknown", None)),
            ("-x=cu", ("--x", Some("cu"))),
            ("-I=inc", ("--include-path", Some("inc"))),
            ("-Iinc", ("--include-path", Some("inc"))),
            ("-DA=1", ("--define-macro", Some("A=1"))),
            ("-O3", ("--optimize", Some("3"))),
            ("-O=", ("--optimize", Some(""))),
            ("-Ofc", ("--Ofast-compile", None)),
            ("-t4", ("--threads", Some("4"))),
            ("-time", ("--time", None)),
            ("-tile", ("--threads", Some("ile"))),
            ("-m64", ("--m64", None)),
            ("-march=native", ("unknown", None)),
            ("-m=64", ("--machine", Some("64"))),
            ("-libdir", ("--library", Some("ibdir"))),
            ("-lineinfo", ("--generate-line-info", None)),
            ("-ldir", ("--libdevice-directory", None)),
            ("-MQ", ("unknown", None)),
            ("-MFx.d", ("unknown", None)),
            ("-g3", ("unknown", None)),
            ("-c=1", ("unknown", None)),
            ("--", ("unknown", None)),
            ("-Xcompiler=-Wall", ("--compiler-options", Some("-Wall"))),
            // Expected values are nvcc 13.5's own.
            ("-apply-controls=ctl", ("--apply-controls", Some("ctl"))),
            ("-apply-controls", ("--apply-controls", None)),
            ("-concat", ("--concat", None)),
            ("-concat=1", ("unknown", None)),
            ("-fdevice-sanitize=memcheck", ("--fdevice-sanitize", Some("memcheck"))),
            ("-fdevice-time-trace-granularity=5", ("--fdevice-time-trace-granularity", Some("5"))),
            ("-fmax-errors=5", ("--fmax-errors", Some("5"))),
            ("-fmax-errors5", ("unknown", None)),
            ("-Wconversion", ("--Wconversion", None)),
            ("-Wconversion=1", ("unknown", None)),
            ("-Xnvprune=a", ("--nvprune-options", Some("a"))),
            ("--nvprune-options=a", ("--nvprune-options", Some("a"))),
            ("-prune", ("--prune", None)),
            ("-prune=1", ("unknown", None)),
            ("-safety-compat", ("--safety-compatibility", None)),
            ("-safety-compat=1", ("unknown", None)),
            ("-skip-ptx-semantics-check", ("--skip-ptx-semantics-check", None)),
            ("-stdlib=libc++", ("--stdlib", Some("libc++"))),
            ("--stdlib=libstdc++", ("--stdlib", Some("libstdc++"))),
            ("-utf-8", ("--utf-8", None)),
            ("--verbose2", ("--verbose2", None)),
            ("-v2", ("--verbose2", None)),
            ("-v2=1", ("unknown", None)),
            ("-verbose2", ("unknown", None)),
        ] {
            let (flag, value) = expected;
            assert_eq!(name(word), (flag, value.map(str::to_owned)), "{word}");
        }
    }
}
