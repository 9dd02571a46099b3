//! Parser of nvcc's command line, by nvcc's rules.
//!
//! In: the expanded words ([`super::expand`]). Out: a [`CommandLine`], which holds the request in the user's terms.
//! [`super::plan`] derives names of outputs and translation units from it. The parser touches no files and accepts any
//! words: a command that nvcc would refuse is read as far as possible, since nvcc refuses it itself.

use super::arch::{self, ArchitectureRequest};
use super::flags::{self, Flag, FlagEffect, FlagMatch, FlagValue};
use super::phase::CompilePhase;
use super::unit::{Language, PreprocessorFlag};
use super::words;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// An input of nvcc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NvccInput {
    /// A word that is no flag; `-` is standard input.
    File(PathBuf),
    /// `-lNAME`: its position among the files matters to the linker.
    Library(OsString),
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// Phase flag that nvcc obeys among all given; `None`: link, the default.
    pub phase: Option<CompilePhase>,
    /// `-dlink`, which still links if `-cubin` or `-fatbin` is given.
    pub device_link: bool,
    /// `--version`, `--dryrun`, `-clean` and similar flags: nothing is compiled.
    pub no_compilation: bool,
    pub inputs: Vec<NvccInput>,
    pub output: Option<PathBuf>,
    pub output_directory: Option<PathBuf>,
    /// `-MD`, `-MMD`.
    pub dependencies_with_compile: bool,
    /// `-MF`.
    pub dependency_file: Option<PathBuf>,
    pub preprocessor: Vec<PreprocessorFlag>,
    /// `-L`, in order.
    pub library_paths: Vec<PathBuf>,
    /// `-x`, for all inputs.
    pub language: Option<Language>,
    pub standard: Option<String>,
    pub architectures: Vec<ArchitectureRequest>,
    /// `-code`
    pub names_code: bool,
    pub host_compiler: Option<PathBuf>,
    /// Flags as the host compiler receives them.
    pub host_flags: Vec<String>,
    pub linker_flags: Vec<OsString>,
    pub language_flags: Vec<String>,
    pub relocatable: bool,
    /// `-dlto`.
    pub device_link_time_optimization: bool,
    pub shared: bool,
    /// `-r`.
    pub relocatable_link: bool,
    /// `-hls=gen-lcs` writes a linker script and links nothing.
    pub linker_script_only: bool,
    /// Words that begin with a dash, are not in the table, and are not forwarded.
    pub unknown: Vec<OsString>,
}

#[derive(Default)]
struct Collected {
    line: CommandLine,
    host_items: Vec<Vec<u8>>,
    unknown: Vec<OsString>,
    to_host_compiler: bool,
    to_host_linker: bool,
}

/// Parses expanded words. `default_host_compiler` is `NVCC_CCBIN`.
pub fn parse(words: &[OsString], default_host_compiler: &OsStr) -> CommandLine {
    let mut state = Collected::default();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        if bytes.first() != Some(&b'-') || bytes.len() == 1 {
            state.line.inputs.push(NvccInput::File(PathBuf::from(word)));
            continue;
        }
        match flags::find(bytes) {
            FlagMatch::Unknown => state.unknown.push(word.clone()),
            FlagMatch::With(flag, value) => state.apply(flag, value),
            FlagMatch::Alone(flag) => match rest.next_if(|next| flag.value.takes(next.as_bytes())) {
                Some(value) => state.apply(flag, value.as_bytes()),
                None if matches!(flag.value, FlagValue::None | FlagValue::Optional) => state.apply(flag, b""),
                // nvcc refuses a flag that ends the line without its value.
                None => {}
            },
        }
    }
    state.finish(default_host_compiler)
}

impl Collected {
    fn apply(&mut self, flag: &'static Flag, value: &[u8]) {
        let line = &mut self.line;
        match flag.effect {
            FlagEffect::Nothing | FlagEffect::OptionsFile => {}
            FlagEffect::Code => line.names_code = true,
            FlagEffect::NoCompilation => line.no_compilation = true,
            FlagEffect::Phase(phase) => {
                line.device_link |= phase == CompilePhase::DeviceLink;
                line.ask(phase);
            }
            FlagEffect::DeviceC => {
                line.relocatable = true;
                line.ask(CompilePhase::Compile);
            }
            FlagEffect::DeviceW => {
                line.relocatable = false;
                line.ask(CompilePhase::Compile);
            }
            // The last of several counts (nvcc warns about that).
            FlagEffect::Output => line.output = Some(path_of(value)),
            FlagEffect::OutputDirectory => line.output_directory = Some(path_of(value)),
            FlagEffect::DependenciesWithCompile => line.dependencies_with_compile = true,
            FlagEffect::DependencyFile => line.dependency_file = Some(path_of(value)),
            FlagEffect::Define => line.macros(value, PreprocessorFlag::Define),
            FlagEffect::Undefine => line.macros(value, PreprocessorFlag::Undefine),
            FlagEffect::Include => line.headers(value, PreprocessorFlag::Include),
            FlagEffect::SystemInclude => line.headers(value, PreprocessorFlag::SystemInclude),
            FlagEffect::PreInclude => line.headers(value, PreprocessorFlag::PreInclude),
            FlagEffect::Library => {
                line.inputs.extend(
                    words::list(value).iter().map(|item| NvccInput::Library(OsString::from_vec(words::path(item)))),
                );
            }
            FlagEffect::LibraryPath => line.library_paths.extend(words::list(value).iter().map(|item| path_of(item))),
            FlagEffect::HostCompiler => line.host_compiler = Some(path_of(value)),
            FlagEffect::HostFlags => self.host_items.extend(words::list(value)),
            FlagEffect::StandardLibrary => self.host_items.push([b"-stdlib=", value].concat()),
            FlagEffect::LinkerFlags => {
                line.linker_flags.extend(words::host_words(&words::list(value)).into_iter().map(OsString::from_vec));
            }
            FlagEffect::ForwardToHostCompiler => self.to_host_compiler = true,
            FlagEffect::ForwardToHostLinker => self.to_host_linker = true,
            FlagEffect::ForwardToBoth => {
                self.to_host_compiler = true;
                self.to_host_linker = true;
            }
            FlagEffect::SourceLanguage => {
                line.language = match value {
                    b"cu" => Some(Language::Cuda),
                    b"c++" => Some(Language::Cxx),
                    b"c" => Some(Language::C),
                    _ => line.language,
                }
            }
            FlagEffect::Standard => line.standard = Some(text_of(value)),
            FlagEffect::Architecture => line.architectures.extend(arch::architecture(value)),
            FlagEffect::GenerateCode => line.architectures.extend(arch::generate_code(value)),
            FlagEffect::RelocatableDeviceCode => line.relocatable = value == b"true",
            FlagEffect::DeviceLinkTimeOptimization => line.device_link_time_optimization = true,
            FlagEffect::Shared => line.shared = true,
            FlagEffect::RelocatableLink => line.relocatable_link = true,
            FlagEffect::HostLinkerScript => line.linker_script_only |= value == b"gen-lcs",
            FlagEffect::Language => line.language_flags.push(match flag.value {
                FlagValue::None => flag.long.to_owned(),
                _ => format!("{}={}", flag.long, text_of(value)),
            }),
            FlagEffect::LanguageAlias(long) => line.language_flags.push(long.to_owned()),
        }
    }

    fn finish(mut self, default_host_compiler: &OsStr) -> CommandLine {
        if self.to_host_compiler {
            // nvcc appends them to all -Xcompiler options, through the same shell.
            self.host_items.extend(self.unknown.iter().map(|word| word.as_bytes().to_vec()));
        }
        if self.to_host_linker {
            self.line.linker_flags.extend(self.unknown.iter().cloned());
        }
        if !self.to_host_compiler && !self.to_host_linker {
            self.line.unknown = self.unknown;
        }
        self.line.host_flags = words::host_words(&self.host_items).iter().map(|word| text_of(word)).collect();
        if self.line.host_compiler.is_none() && !default_host_compiler.is_empty() {
            self.line.host_compiler = Some(PathBuf::from(default_host_compiler));
        }
        self.line
    }
}

impl CommandLine {
    fn ask(&mut self, phase: CompilePhase) {
        self.phase = Some(self.phase.map_or(phase, |asked| asked.min(phase)));
    }

    fn macros(&mut self, value: &[u8], make: fn(String) -> PreprocessorFlag) {
        self.preprocessor.extend(words::list(value).iter().map(|item| make(text_of(&words::macro_definition(item)))));
    }

    fn headers(&mut self, value: &[u8], make: fn(PathBuf) -> PreprocessorFlag) {
        self.preprocessor.extend(words::list(value).iter().map(|item| make(path_of(item))));
    }
}

fn path_of(value: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(words::path(value)))
}

fn text_of(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}
