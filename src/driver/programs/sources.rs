//! Translation units that a command line or a compile_commands.json names.

use anyhow::{Context, Result, bail};
use nvcc::command::{Environment, NvccCommand, ShimPlan};
use nvcc::host;
use nvcc::unit::TranslationUnit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Returns the units of `scuba check FILE… -- FLAGS`.
///
/// # Errors
/// If a file is missing, or the flags make nvcc compile nothing of it.
pub fn named(files: &[PathBuf], flags: &[OsString], nvcc: Option<&Path>) -> Result<Vec<TranslationUnit>> {
    let directory = std::env::current_dir().context("the working folder does not exist")?;
    if let Some(missing) = files.iter().find(|f| !f.is_file()) {
        bail!("there is no file {}", missing.display());
    }
    // One command for each source, as in a build: flags such as -o and -MF belong to one source.
    let mut units = Vec::new();
    for file in files {
        let words: Vec<OsString> =
            std::iter::once("-c".into()).chain(flags.iter().cloned()).chain([file.into()]).collect();
        units.extend(read(&words, &directory, nvcc)?.with_context(|| {
            format!("nvcc compiles nothing from {} with these flags: {}", file.display(), shown(flags))
        })?);
    }
    Ok(units)
}

fn shown(flags: &[OsString]) -> String {
    flags.iter().map(|f| f.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Macro that only `scuba-extract` defines when it runs clang.
const OWN_DEFINITION: &str = "-D__SCUBA__";

/// Returns the units of one nvcc command; `None` if it compiles nothing.
fn read(words: &[OsString], directory: &Path, nvcc: Option<&Path>) -> Result<Option<Vec<TranslationUnit>>> {
    let command = NvccCommand::read(words, &Environment::of_this_process(), directory);
    // A check of sources does not depend on this machine's GPUs.
    let Some(plan) = command.plan(directory, nvcc, &Vec::new) else { return Ok(None) };
    if let Some(what) = plan.unreadable.first() {
        bail!("{what} cannot be read by an analysis");
    }
    Ok(Some(plan.request.units).filter(|units| !units.is_empty()))
}

#[derive(serde::Deserialize)]
struct CompileEntry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// Returns the units of `DIR/compile_commands.json` (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>),
/// including C++ units: they may launch kernels through functions, or define `main`.
///
/// # Errors
/// If the file cannot be read, is not a compilation database, or names nothing that is compiled.
pub fn of_database(dir: &Path, nvcc: NvccChoice<'_>) -> Result<Vec<TranslationUnit>> {
    let path = if dir.is_dir() { dir.join("compile_commands.json") } else { dir.to_owned() };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let units = of_text(&text, &path, nvcc)?;
    if units.is_empty() {
        bail!("{} lists nothing that nvcc or a C++ compiler compiles", path.display());
    }
    Ok(units)
}

/// Returns the units of a compilation database's text, whose folders are relative to that of `path`.
///
/// # Errors
/// If the text is not a compilation database.
pub fn of_text(text: &str, path: &Path, nvcc: NvccChoice<'_>) -> Result<Vec<TranslationUnit>> {
    let entries: Vec<CompileEntry> =
        serde_json::from_str(text).with_context(|| format!("{} is not a compilation database", path.display()))?;
    let base = std::path::absolute(path).with_context(|| format!("cannot resolve {}", path.display()))?;
    let mut units = Vec::new();
    for e in entries {
        let about = || format!("{}: the entry of {}", path.display(), e.file.display());
        let words = match (e.arguments, e.command) {
            (Some(words), _) => words,
            (None, Some(command)) => {
                shlex::split(&command).with_context(|| format!("{} has an unclosed quote", about()))?
            }
            (None, None) => bail!("{} has neither `command` nor `arguments`", about()),
        };
        // SCuBA's own reading of a unit, seen by a tool that records the build (bear).
        if words.iter().any(|w| w == OWN_DEFINITION) {
            continue;
        }
        let directory = base.parent().unwrap_or(Path::new("/")).join(&e.directory);
        units.extend(of_command(&words, &directory, nvcc).with_context(about)?);
    }
    Ok(units)
}

/// Choice of nvcc for units whose command may name one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NvccChoice<'a> {
    /// Nvcc of `SCUBA_NVCC` or scuba.toml; overrides the nvcc that a command names.
    pub set: Option<&'a Path>,
    /// Nvcc for a command that names none by a path.
    pub found: Option<&'a Path>,
}

/// Returns the units of one command of a build, with or without launchers before the compiler.
///
/// # Errors
/// If an input of the command cannot be read by an analysis.
pub fn of_command(words: &[String], directory: &Path, nvcc: NvccChoice<'_>) -> Result<Vec<TranslationUnit>> {
    if let Some(plan) = host_compile(words, directory) {
        return Ok(plan.request.units);
    }
    let named = host::named_nvcc(words).map(|n| directory.join(n));
    let nvcc = nvcc.set.or(named.as_deref()).or(nvcc.found);
    Ok(read(&host::nvcc_words(words), directory, nvcc)?.unwrap_or_default())
}

/// Plan of a compile command of the host compiler; `None` for nvcc commands, and for clang commands that compile CUDA
/// code.
fn host_compile(words: &[String], directory: &Path) -> Option<ShimPlan> {
    let words: Vec<OsString> = host::without_launchers(words).iter().map(OsString::from).collect();
    host::compile(&words, directory).filter(|plan| plan.request.deferred)
}

#[cfg(test)]
mod tests {
    use super::{NvccChoice, of_database};
    use nvcc::unit::{Language, PreprocessorFlag};

    #[test]
    fn a_compilation_database_gives_units_with_their_flags_and_folders() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        std::fs::write(
            dir.join("compile_commands.json"),
            r#"[
            {"directory": "sub", "file": "a.cu", "command": "nvcc -DN=\"4 2\" -arch=sm_90 -c a.cu -o a.o"},
            {"directory": "/elsewhere", "file": "b.cpp", "arguments": ["c++", "-c", "b.cpp"]},
            {"directory": "sub", "file": "a.cu", "arguments": ["clang++", "-x", "cuda", "-D__SCUBA__", "-c", "-o", "/tmp/a.bc", "a.cu"]}
        ]"#,
        )
        .unwrap();
        let units = of_database(dir, NvccChoice::default()).unwrap();
        assert_eq!(units.iter().map(|u| u.language).collect::<Vec<_>>(), [Language::Cuda, Language::Cxx]);
        assert_eq!(units[0].directory, dir.join("sub"));
        assert_eq!(units[0].preprocessor, [PreprocessorFlag::Define("N=4 2".into())]);
        assert_eq!(units[0].architectures, [90]);
        assert_eq!(units[0].output.as_deref(), Some(dir.join("sub/a.o").as_path()));
        assert_eq!(units[1].directory.to_str(), Some("/elsewhere"));
        assert_eq!(units[0].nvcc, None, "PATH's own");
    }

    #[test]
    fn an_nvcc_that_is_set_counts_before_the_one_that_a_command_names() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"[{"directory": "/", "file": "a.cu", "command": "/named/nvcc -c a.cu"}]"#;
        std::fs::write(dir.path().join("compile_commands.json"), text).unwrap();
        let [set, found] = ["/set/nvcc", "/found/nvcc"].map(|p| Some(std::path::Path::new(p)));
        let of = |nvcc| of_database(dir.path(), nvcc).unwrap()[0].nvcc.clone().unwrap();
        assert_eq!(of(NvccChoice { set, found: set }).to_str(), Some("/set/nvcc"));
        assert_eq!(of(NvccChoice { set: None, found }).to_str(), Some("/named/nvcc"));
    }

    #[test]
    fn what_is_no_compilation_database_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("compile_commands.json");
        let message = || format!("{:#}", of_database(dir.path(), NvccChoice::default()).unwrap_err());
        assert!(message().contains("cannot read"));
        for text in [
            "{}",
            "[]",
            r#"[{"directory": "/", "file": "a.cu"}]"#,
            r#"[{"directory": "/", "file": "a.cu", "command": "nvcc 'x"}]"#,
        ] {
            std::fs::write(&file, text).unwrap();
            assert!(message().contains("compile_commands.json"), "{}", message());
        }
    }
}
