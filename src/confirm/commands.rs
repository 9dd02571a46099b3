//! Adapts the user's compile commands: the same flags, for the current device, with line numbers, into our own
//! folder.

use super::manifest::{BuildStep, BuildTool, CommandWord, ManifestBuild};
pub use nvcc::flags::{self, Flag, FlagEffect, FlagMatch, FlagValue};
use nvcc::unit::{Language, TranslationUnit};
use nvcc::words;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Flags for nvcc's output files, its messages or later links, and flags that our own request changes.
const DROPPED: [&str; 19] = [
    "--generate-dependency-targets",
    "--dependency-target-name",
    "--keep",
    "--keep-dir",
    "--save-temps",
    "--threads",
    "--verbose",
    "--time",
    "--run-args",
    "--sanitize",
    "--objdir-as-tempdir",
    "--fdevice-time-trace",
    "--jobserver",
    "--Werror",
    "--generate-line-info",
    "--dlink-time-opt",
    "--lto",
    "--gen-opt-lto",
    "--split-compile",
];

/// Location of a user's file or folder when the commands run.
pub trait FileLocations {
    fn file(&self, path: &Path) -> CommandWord;
    fn folder(&self, path: &Path) -> CommandWord;
}

/// The user's tree as it is.
pub struct InPlace;

impl FileLocations for InPlace {
    fn file(&self, path: &Path) -> CommandWord {
        CommandWord::text(path.to_string_lossy())
    }
    fn folder(&self, path: &Path) -> CommandWord {
        self.file(path)
    }
}

/// Classified words of a unit's command.
struct ClassifiedWords {
    /// Flags that decide the meaning of the code and its compilation.
    compile: Vec<CommandWord>,
    /// Libraries and linker flags.
    link: Vec<CommandWord>,
    relocatable: bool,
}

fn sort(unit: &TranslationUnit, places: &dyn FileLocations) -> ClassifiedWords {
    let mut out = ClassifiedWords { compile: vec![], link: vec![], relocatable: unit.relocatable };
    let mut rest = unit.command.iter().skip(1).peekable();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        if bytes.first() != Some(&b'-') || bytes.len() == 1 {
            continue;
        }
        match flags::find(bytes) {
            // nvcc rejects these flags, or passes them to the host compiler, now as before. Flags for dependency
            // files are dropped.
            FlagMatch::Unknown if word.starts_with("-M") => {}
            FlagMatch::Unknown => out.compile.push(CommandWord::text(word)),
            FlagMatch::With(flag, value) => out.put(flag, Some(value), unit, places),
            FlagMatch::Alone(flag) => match rest.next_if(|next| flag.value.takes(next.as_bytes())) {
                Some(value) => out.put(flag, Some(value.as_bytes()), unit, places),
                None if flag.value == FlagValue::None => out.put(flag, None, unit, places),
                // Without its value, nvcc takes the default (or refuses the flag).
                None => {}
            },
        }
    }
    out
}

impl ClassifiedWords {
    fn put(&mut self, flag: &'static Flag, value: Option<&[u8]>, unit: &TranslationUnit, places: &dyn FileLocations) {
        if DROPPED.contains(&flag.long) {
            return;
        }
        let name = if flag.short.is_empty() { flag.long } else { flag.short };
        let paths = |value: &[u8]| {
            words::list(value).iter().map(|item| unit.directory.join(path_of(item))).collect::<Vec<PathBuf>>()
        };
        let value = value.unwrap_or_default();
        match flag.effect {
            FlagEffect::Phase(_)
            | FlagEffect::DeviceC
            | FlagEffect::DeviceW
            | FlagEffect::Output
            | FlagEffect::OutputDirectory
            | FlagEffect::DependenciesWithCompile
            | FlagEffect::DependencyFile
            | FlagEffect::Architecture
            | FlagEffect::Code
            | FlagEffect::GenerateCode
            | FlagEffect::OptionsFile
            | FlagEffect::Shared
            | FlagEffect::RelocatableLink
            | FlagEffect::HostLinkerScript
            | FlagEffect::NoCompilation
            | FlagEffect::RelocatableDeviceCode => {}
            FlagEffect::Include | FlagEffect::SystemInclude => {
                for p in paths(value) {
                    self.compile.extend([CommandWord::text(name), places.folder(&p)]);
                }
            }
            FlagEffect::PreInclude => {
                for p in paths(value) {
                    self.compile.extend([CommandWord::text(name), places.file(&p)]);
                }
            }
            FlagEffect::LibraryPath => {
                for p in paths(value) {
                    self.link.extend([CommandWord::text(name), CommandWord::text(p.to_string_lossy())]);
                }
            }
            FlagEffect::Library | FlagEffect::LinkerFlags | FlagEffect::ForwardToHostLinker => {
                self.link.extend(plain(name, flag, value));
            }
            _ if matches!(flag.long, "--cudart" | "--cudadevrt") => self.link.extend(plain(name, flag, value)),
            _ => self.compile.extend(plain(name, flag, value)),
        }
    }
}

/// A flag and its value as two words; separators and quotes of a list are unchanged.
fn plain(name: &str, flag: &Flag, value: &[u8]) -> Vec<CommandWord> {
    let mut out = vec![CommandWord::text(name)];
    if flag.value != FlagValue::None {
        out.push(CommandWord::text(String::from_utf8_lossy(value)));
    }
    out
}

fn path_of(item: &[u8]) -> OsString {
    OsString::from_vec(words::path(item))
}

/// Flags of all our compilations, besides the user's flags.
fn for_this_device(relocatable: bool) -> Vec<CommandWord> {
    vec![
        CommandWord::text("-lineinfo"),
        CommandWord::text("-arch"),
        CommandWord::Architecture,
        CommandWord::text(format!("-rdc={relocatable}")),
    ]
}

fn compile(
    unit: &TranslationUnit,
    sorted: ClassifiedWords,
    phase: &str,
    output: &str,
    places: &dyn FileLocations,
) -> BuildStep {
    let mut words = sorted.compile;
    words.extend(for_this_device(sorted.relocatable));
    let source = unit.directory.join(&unit.source);
    words.extend([
        CommandWord::text(phase),
        places.file(&source),
        CommandWord::text("-o"),
        CommandWord::Scratch(output.to_owned()),
    ]);
    BuildStep { directory: places.folder(&unit.directory), tool: BuildTool::Nvcc, words }
}

/// Build of the whole program: compiles every unit again and links it with the other inputs of the user's link.
/// `name` names the build and its folder.
#[must_use]
pub fn program(
    name: &str,
    units: &[&TranslationUnit],
    others: &[PathBuf],
    places: &dyn FileLocations,
) -> ManifestBuild {
    let mut steps = Vec::new();
    let output = format!("{name}/program");
    let mut link = Vec::new();
    let mut libraries: Vec<CommandWord> = Vec::new();
    let mut relocatable = false;
    for (i, unit) in units.iter().enumerate() {
        let mut sorted = sort(unit, places);
        relocatable |= sorted.relocatable;
        let words = std::mem::take(&mut sorted.link);
        if !libraries.windows(words.len().max(1)).any(|w| w == words) {
            libraries.extend(words);
        }
        let object = format!("{name}/{i}.o");
        steps.push(compile(unit, sorted, "-c", &object, places));
        link.push(CommandWord::Scratch(object));
    }
    link.extend(others.iter().map(|p| places.file(p)));
    link.extend(libraries);
    link.extend([
        CommandWord::text("-arch"),
        CommandWord::Architecture,
        CommandWord::text(format!("-rdc={relocatable}")),
        CommandWord::text("-o"),
        CommandWord::Scratch(output.clone()),
    ]);
    if let Some(compiler) = units.iter().find_map(|u| u.host_compiler.as_ref()) {
        link.extend([CommandWord::text("-ccbin"), CommandWord::text(compiler.to_string_lossy())]);
    }
    let directory = units.first().map_or(CommandWord::Scratch(String::new()), |u| places.folder(&u.directory));
    steps.push(BuildStep { directory, tool: BuildTool::Nvcc, words: link });
    ManifestBuild { name: name.to_owned(), output, steps }
}

/// Runtime functions that `templates/calls.cpp` wraps.
const WRAPPED: [&str; 44] = [
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocAsync",
    "cudaMallocAsync_ptsz",
    "cudaMallocPitch",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaFree",
    "cudaFreeAsync",
    "cudaFreeAsync_ptsz",
    "cudaFreeHost",
    "cudaDeviceReset",
    "cudaMemcpy",
    "cudaMemcpy_ptds",
    "cudaMemcpyAsync",
    "cudaMemcpyAsync_ptsz",
    "cudaMemset",
    "cudaMemset_ptds",
    "cudaMemsetAsync",
    "cudaMemsetAsync_ptsz",
    "cudaMemcpy2D",
    "cudaMemcpy2D_ptds",
    "cudaMemcpy2DAsync",
    "cudaMemcpy2DAsync_ptsz",
    "cudaMemset2D",
    "cudaMemset2D_ptds",
    "cudaMemset2DAsync",
    "cudaMemset2DAsync_ptsz",
    "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbol_ptds",
    "cudaMemcpyToSymbolAsync",
    "cudaMemcpyFromSymbol",
    "cudaMemcpyFromSymbol_ptds",
    "cudaMemcpyFromSymbolAsync",
    "__cudaRegisterFunction",
    "__cudaGetKernel",
    "cudaLaunchKernel",
    "cudaLaunchKernel_ptsz",
    "__cudaLaunchKernel",
    "__cudaLaunchKernel_ptsz",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchCooperativeKernel_ptsz",
    "cudaLaunchKernelExC",
    "cudaLaunchKernelExC_ptsz",
];

/// Build of the program with `templates/calls.cpp`, located at `source`, which inspects the units' calls of the
/// runtime.
#[must_use]
pub fn program_with_calls(
    name: &str,
    units: &[&TranslationUnit],
    others: &[PathBuf],
    source: CommandWord,
    places: &dyn FileLocations,
) -> ManifestBuild {
    let mut build = program(name, units, others, places);
    let object = format!("{name}/calls.o");
    let Some(mut link) = build.steps.pop() else { return build };
    let mut words = vec![CommandWord::text("-std=c++17"), CommandWord::text("-O1"), CommandWord::text("-c"), source];
    if let Some(compiler) = units.iter().find_map(|u| u.host_compiler.as_ref()) {
        words.extend([CommandWord::text("-ccbin"), CommandWord::text(compiler.to_string_lossy())]);
    }
    words.extend([CommandWord::text("-o"), CommandWord::Scratch(object.clone())]);
    build.steps.push(BuildStep { directory: CommandWord::Scratch(String::new()), tool: BuildTool::Nvcc, words });
    link.words.insert(0, CommandWord::Scratch(object));
    let wraps: Vec<String> = WRAPPED.iter().map(|f| format!("--wrap={f}")).collect();
    link.words.extend([CommandWord::text("-Xlinker"), CommandWord::text(wraps.join(","))]);
    build.steps.push(link);
    build
}

/// Build of the device code of one unit. If the code is relocatable, of all relocatable CUDA units of the program,
/// linked.
#[must_use]
pub fn cubin(name: &str, units: &[&TranslationUnit], which: usize, places: &dyn FileLocations) -> ManifestBuild {
    let output = format!("{name}/kernel.cubin");
    let one = |unit: &TranslationUnit, output: &str| compile(unit, sort(unit, places), "-cubin", output, places);
    if !units[which].relocatable {
        return ManifestBuild { name: name.to_owned(), steps: vec![one(units[which], &output)], output };
    }
    let mut steps = Vec::new();
    let mut parts = Vec::new();
    for (i, unit) in units.iter().enumerate().filter(|(_, u)| u.language == Language::Cuda && u.relocatable) {
        let part = format!("{name}/{i}.cubin");
        steps.push(one(unit, &part));
        parts.push(CommandWord::Scratch(part));
    }
    let words = [CommandWord::text("-arch"), CommandWord::Architecture]
        .into_iter()
        .chain(parts)
        .chain([CommandWord::text("-o"), CommandWord::Scratch(output.clone())])
        .collect();
    steps.push(BuildStep { directory: places.folder(&units[which].directory), tool: BuildTool::Nvlink, words });
    ManifestBuild { name: name.to_owned(), output, steps }
}

/// Build of the launcher of single kernels from `templates/launch.cpp`, located at `source`.
#[must_use]
pub fn launcher(name: &str, source: CommandWord) -> ManifestBuild {
    let output = format!("{name}/launch");
    let words = vec![
        CommandWord::text("-std=c++17"),
        CommandWord::text("-O1"),
        CommandWord::text("-cudart=none"),
        source,
        CommandWord::text("-ldl"),
        CommandWord::text("-o"),
        CommandWord::Scratch(output.clone()),
    ];
    ManifestBuild {
        name: name.to_owned(),
        output,
        steps: vec![BuildStep { directory: CommandWord::Scratch(String::new()), tool: BuildTool::Nvcc, words }],
    }
}

/// Whether every machine with the toolkit has this path itself. `toolkit` lists the names of the toolkit's folder.
#[must_use]
pub fn is_system(path: &Path, toolkit: &[PathBuf]) -> bool {
    ["/usr/include", "/usr/lib", "/usr/local/cuda"].iter().any(|p| path.starts_with(p))
        || toolkit.iter().any(|p| path.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::{InPlace, WRAPPED, cubin, program, program_with_calls};
    use crate::manifest::{BuildTool, CommandWord};
    use nvcc::command::{Environment, NvccCommand};
    use nvcc::unit::TranslationUnit;
    use std::ffi::OsString;
    use std::path::Path;

    fn units(line: &str) -> Vec<TranslationUnit> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let command = NvccCommand::read(&words, &Environment::default(), Path::new("/p"));
        command.plan(Path::new("/p"), Some(Path::new("/cuda/bin/nvcc")), &Vec::new).unwrap().request.units
    }

    fn line(words: &[CommandWord]) -> String {
        words
            .iter()
            .map(|w| match w {
                CommandWord::Text(t) => t.clone(),
                CommandWord::Scratch(p) => format!("$S/{p}"),
                CommandWord::Bundle(p) => format!("$B/{p}"),
                CommandWord::Architecture => "$A".into(),
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_users_flags_stay_and_what_is_for_files_and_architectures_goes() {
        let units = units(
            "-O3 -Iinc,/abs -DN=4 -std=c++17 -gencode arch=compute_70,code=sm_70 -Xcompiler -fopenmp -MD -MF x.d -lineinfo -t 4 \
            --use_fast_math -lm -L lib src/a.cu b.cpp -o app",
        );
        let all: Vec<&TranslationUnit> = units.iter().collect();
        let built = program("p", &all, &["/p/c.o".into()], &InPlace);
        let lines: Vec<String> = built.steps.iter().map(|s| line(&s.words)).collect();
        assert_eq!(
            lines,
            [
                "-O 3 -I /p/inc -I /abs -D N=4 -std c++17 -Xcompiler -fopenmp -use_fast_math -lineinfo -arch $A -rdc=false -c /p/src/a.cu -o $S/p/0.o",
                "-O 3 -I /p/inc -I /abs -D N=4 -std c++17 -Xcompiler -fopenmp -use_fast_math -lineinfo -arch $A -rdc=false -c /p/b.cpp -o $S/p/1.o",
                "$S/p/0.o $S/p/1.o /p/c.o -l m -L /p/lib -arch $A -rdc=false -o $S/p/program",
            ]
        );
        assert!(built.steps.iter().all(|s| s.directory == CommandWord::text("/p") && s.tool == BuildTool::Nvcc));
    }

    #[test]
    fn a_program_whose_calls_are_looked_at_has_one_object_more() {
        let units = units("a.cu -o app");
        let all: Vec<&TranslationUnit> = units.iter().collect();
        let built = program_with_calls("p", &all, &[], CommandWord::Bundle("calls.cpp".into()), &InPlace);
        let lines: Vec<String> = built.steps.iter().map(|s| line(&s.words)).collect();
        let [unit, calls, link] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!(unit, "-lineinfo -arch $A -rdc=false -c /p/a.cu -o $S/p/0.o");
        assert_eq!(calls, "-std=c++17 -O1 -c $B/calls.cpp -o $S/p/calls.o");
        assert!(
            link.starts_with("$S/p/calls.o $S/p/0.o -arch $A -rdc=false -o $S/p/program -Xlinker --wrap=cudaMalloc,")
        );
        let template = include_str!("../../templates/calls.cpp");
        assert!(WRAPPED.iter().all(|name| [",", ")"].iter().any(|end| template.contains(&format!("({name}{end}")))));
    }

    #[test]
    fn relocatable_device_code_is_linked() {
        let units = units("-dc -G a.cu b.cu");
        let all: Vec<&TranslationUnit> = units.iter().collect();
        let lines: Vec<String> = cubin("c", &all, 1, &InPlace).steps.iter().map(|s| line(&s.words)).collect();
        assert_eq!(
            lines,
            [
                "-G -lineinfo -arch $A -rdc=true -cubin /p/a.cu -o $S/c/0.cubin",
                "-G -lineinfo -arch $A -rdc=true -cubin /p/b.cu -o $S/c/1.cubin",
                "-arch $A $S/c/0.cubin $S/c/1.cubin -o $S/c/kernel.cubin",
            ]
        );
    }
}
