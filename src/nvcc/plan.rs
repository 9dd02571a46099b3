//! Consequences of a command line: the translation units, the link, and the files that the command will write.
//!
//! In: a [`CommandLine`] and its working directory. Out: a [`ShimPlan`]. Planning searches the disk for libraries only, and
//! starts no process. The names of outputs are those that nvcc 13.0 wrote when tried (`tests/build/same.rs` compares
//! them on every run).

use super::arch::{self, Images};
use super::parse::{CommandLine, NvccInput};
use super::phase::CompilePhase;
use super::request::{AnalysisRequest, Link, LinkKind};
use super::unit::{Language, Sides, TranslationUnit};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Environment of a command.
pub struct CommandEnvironment<'s> {
    /// Absolute working directory.
    pub directory: &'s Path,
    /// Absolute path of the real nvcc; `None` if there is none and only sources are read.
    pub nvcc: Option<&'s Path>,
    /// Words of the command, expanded, without nvcc itself.
    pub words: &'s [OsString],
    /// Returns the compute capabilities of this machine's GPUs; called only for `-arch=native`.
    pub native: &'s dyn Fn() -> Vec<u32>,
}

/// The shim's work for one command, beside and after nvcc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShimPlan {
    pub request: AnalysisRequest,
    /// Absolute paths of the regular files that the command writes for others to use: objects, programs, dependency
    /// files.
    pub outputs: Vec<PathBuf>,
    /// Absolute paths of the files that the command reads by name; they are never removed.
    pub inputs: Vec<PathBuf>,
    /// Sources that the analysis cannot read a second time, as messages name them.
    pub unreadable: Vec<String>,
}

/// Plans the analysis of a command line; `None` if there is nothing to analyse, so that nvcc can replace this process.
pub fn plan(line: &CommandLine, setting: &CommandEnvironment<'_>) -> Option<ShimPlan> {
    let phase = line.effective_phase();
    if line.no_compilation || matches!(phase, CompilePhase::Preprocess | CompilePhase::Dependencies) {
        return None;
    }
    if line.linker_script_only {
        return None;
    }
    let (standard_input, sources): (Vec<_>, Vec<_>) =
        line.sources(phase).partition(|(path, _)| path.as_os_str() == "-");
    let unreadable: Vec<String> = standard_input.iter().map(|_| "standard input".to_owned()).collect();
    let link = line.link(phase, setting.directory);
    if sources.is_empty() && unreadable.is_empty() && link.as_ref().is_none_or(|link| link.inputs.is_empty()) {
        return None;
    }
    let compiled = arch::resolve(&line.architectures, line.images(phase), || (setting.native)());
    let architectures = arch::numbers(&compiled);
    let command: Vec<String> = std::iter::once(setting.nvcc.map_or(OsStr::new("nvcc"), Path::as_os_str))
        .chain(setting.words.iter().map(OsString::as_os_str))
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let units = sources
        .iter()
        .map(|(source, language)| TranslationUnit {
            source: source.to_path_buf(),
            directory: setting.directory.to_owned(),
            language: *language,
            output: line.object(phase, source).map(|file| absolute(setting.directory, &file)),
            preprocessor: line.preprocessor.clone(),
            standard: line.standard.clone(),
            architectures: architectures.clone(),
            compiled: compiled.clone(),
            host_compiler: line.host_compiler.clone(),
            host_flags: line.host_flags.clone(),
            sides: match language {
                Language::Cuda if phase.device_only() => Sides::DeviceOnly,
                Language::Cuda => Sides::Both,
                Language::Cxx | Language::C => Sides::HostOnly,
            },
            relocatable: line.relocatable || line.device_link_time_optimization,
            language_flags: line.language_flags.clone(),
            nvcc: setting.nvcc.map(Path::to_owned),
            command: command.clone(),
        })
        .collect();
    Some(ShimPlan {
        request: AnalysisRequest {
            units,
            link,
            directory: setting.directory.to_owned(),
            deferred: false,
            launcher: None,
        },
        outputs: line.outputs(phase, setting.directory),
        inputs: line.files().map(|file| absolute(setting.directory, file)).collect(),
        unreadable,
    })
}

impl CommandLine {
    /// Returns the phase that determines the output: `-dlink` wins over `-cubin` and `-fatbin`, which then select its
    /// format.
    fn effective_phase(&self) -> CompilePhase {
        match self.phase.unwrap_or(CompilePhase::Link) {
            CompilePhase::Cubin | CompilePhase::Fatbin if self.device_link => CompilePhase::DeviceLink,
            phase => phase,
        }
    }

    /// Returns the images that the phase makes: `-code` names them; `-ptx` and similar flags make one.
    fn images(&self, phase: CompilePhase) -> Images {
        let one =
            matches!(phase, CompilePhase::Ptx | CompilePhase::OptixIr | CompilePhase::LtoIr | CompilePhase::Cubin);
        if one || self.names_code { Images::AsNamed } else { Images::WithPlainPtx }
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().filter_map(|input| match input {
            NvccInput::File(path) => Some(path.as_path()),
            NvccInput::Library(_) => None,
        })
    }

    /// Returns the language of an input; `None` for an input that is not compiled (objects, PTX, files that nvcc
    /// refuses).
    fn source_language(&self, path: &Path) -> Option<Language> {
        if self.language.is_some() {
            return self.language;
        }
        match path.extension()?.to_str()? {
            "cu" => Some(Language::Cuda),
            "cc" | "cpp" | "cxx" => Some(Language::Cxx),
            "c" => Some(Language::C),
            _ => None,
        }
    }

    /// Returns the sources whose result the phase keeps; phases of CUDA sources alone drop what they make of others.
    fn sources(&self, phase: CompilePhase) -> impl Iterator<Item = (&Path, Language)> {
        self.files()
            .filter_map(|path| Some((path, self.source_language(path)?)))
            .filter(move |(_, language)| !phase.keeps_cuda_only() || *language == Language::Cuda)
    }

    /// Returns the output of one source, as nvcc names it; `None` if no file of its own is kept.
    fn object(&self, phase: CompilePhase, source: &Path) -> Option<PathBuf> {
        let suffix = phase.suffix()?;
        Some(match &self.output {
            Some(output) => output.clone(),
            None => self.beside(source, suffix),
        })
    }

    /// Returns a path in `-odir` or the working directory, with the source's name and another suffix.
    fn beside(&self, source: &Path, suffix: &str) -> PathBuf {
        let mut name = source.file_stem().unwrap_or(OsStr::new("a")).to_owned();
        name.push(".");
        name.push(suffix);
        self.output_directory.as_deref().unwrap_or(Path::new("")).join(name)
    }

    /// Returns the single output of a linking phase.
    fn linked(&self, phase: CompilePhase) -> PathBuf {
        if let Some(output) = &self.output {
            return output.clone();
        }
        let directory = self.output_directory.as_deref().unwrap_or(Path::new(""));
        let mut name = self.files().next().and_then(Path::file_stem).unwrap_or(OsStr::new("a")).to_owned();
        match phase {
            CompilePhase::Archive => name.push(".a"),
            CompilePhase::DeviceLink => name.push(match self.phase {
                Some(CompilePhase::Cubin) => "_dlink.cubin",
                Some(CompilePhase::Fatbin) => "_dlink.fatbin",
                _ => "_dlink.o",
            }),
            _ => return directory.join("a.out"),
        }
        directory.join(name)
    }

    fn link(&self, phase: CompilePhase, directory: &Path) -> Option<Link> {
        let kind = match phase {
            CompilePhase::Archive => LinkKind::Archive,
            CompilePhase::DeviceLink => LinkKind::DeviceLink,
            CompilePhase::Link if self.relocatable_link => LinkKind::Relocatable,
            CompilePhase::Link if self.shared || self.host_flags.iter().any(|flag| flag == "-shared") => {
                LinkKind::SharedLibrary
            }
            CompilePhase::Link => LinkKind::Executable,
            _ => return None,
        };
        let mut inputs: Vec<PathBuf> = Vec::new();
        for input in &self.inputs {
            match input {
                NvccInput::File(path) if self.source_language(path).is_none() && is_linkable(path) => {
                    inputs.push(absolute(directory, path));
                }
                NvccInput::File(_) => {}
                NvccInput::Library(name) => inputs.extend(self.find_library(name, directory)),
            }
        }
        inputs.extend(
            self.linker_flags
                .iter()
                .map(Path::new)
                .filter(|path| is_linkable(path))
                .map(|path| absolute(directory, path)),
        );
        // A host flag may hold a linker's argument: -Wl,--whole-archive,libx.a
        for flag in &self.host_flags {
            let parts = flag.strip_prefix("-Wl,").unwrap_or(flag).split(',');
            inputs.extend(
                parts
                    .filter(|part| !part.starts_with('-'))
                    .map(Path::new)
                    .filter(|path| is_linkable(path))
                    .map(|path| absolute(directory, path)),
            );
        }
        Some(Link { kind, output: absolute(directory, &self.linked(phase)), inputs })
    }

    /// Resolves `-lNAME` as the linker does: shared before static within one folder.
    fn find_library(&self, name: &OsStr, directory: &Path) -> Option<PathBuf> {
        let exact = name.to_str().and_then(|name| name.strip_prefix(':'));
        for folder in &self.library_paths {
            let folder = absolute(directory, folder);
            let candidates = match exact {
                Some(file) => vec![OsString::from(file)],
                None => [".so", ".a"]
                    .map(|suffix| [OsStr::new("lib"), name, OsStr::new(suffix)].into_iter().collect())
                    .to_vec(),
            };
            if let Some(found) = candidates.iter().map(|file| folder.join(file)).find(|file| file.is_file()) {
                return Some(found);
            }
        }
        None
    }

    fn outputs(&self, phase: CompilePhase, directory: &Path) -> Vec<PathBuf> {
        // nvcc names the outputs of standard input after a temporary file.
        let named = |path: &Path| self.output.is_some() || path.as_os_str() != "-";
        let sources: Vec<&Path> = self.sources(phase).map(|(path, _)| path).filter(|path| named(path)).collect();
        let mut outputs = Vec::new();
        if phase.suffix().is_some() {
            let device_inputs = self
                .files()
                .filter(|path| matches!(path.extension().and_then(OsStr::to_str), Some("ptx" | "cubin" | "i" | "ii")));
            outputs
                .extend(sources.iter().copied().chain(device_inputs).filter_map(|source| self.object(phase, source)));
        } else {
            outputs.push(self.linked(phase));
        }
        if self.dependencies_with_compile {
            match (&self.dependency_file, &self.output) {
                (Some(file), _) => outputs.push(file.clone()),
                (None, Some(output)) => outputs.push(output.with_extension("d")),
                (None, None) => outputs.extend(sources.iter().map(|source| self.beside(source, "d"))),
            }
        }
        let mut files: Vec<PathBuf> = outputs.iter().map(|file| absolute(directory, file)).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// Whether CMake, autoconf or Meson runs the command to identify the compiler: the results must come fast and be nvcc's
/// own.
pub fn is_probe(line: &CommandLine, directory: &Path) -> bool {
    let in_probe_folder = |path: &Path| {
        path.components().any(|part| {
            matches!(part.as_os_str().to_str(), Some("CompilerIdCUDA" | "CMakeScratch" | "CMakeTmp" | "meson-private"))
        })
    };
    let is_conftest =
        |path: &Path| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("conftest"));
    in_probe_folder(directory)
        || line.output.as_deref().is_some_and(in_probe_folder)
        || line.files().any(|file| in_probe_folder(file) || is_conftest(file))
}

/// Whether a path names an object, an archive or a library, `libx.so.1.2` included.
fn is_linkable(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    match path.extension().and_then(OsStr::to_str) {
        Some("o" | "obj" | "a" | "lib" | "so") => true,
        _ => name
            .split_once(".so.")
            .is_some_and(|(_, version)| version.starts_with(|first: char| first.is_ascii_digit())),
    }
}

/// Joins a path to the working directory, without `.` and doubled slashes. `..` stays, since it may follow a symbolic
/// link.
fn absolute(directory: &Path, path: &Path) -> PathBuf {
    directory.join(path).components().collect()
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
