//! Translation units named on the command line or in a compile_commands.json.

use anyhow::{Context, Result, bail};
use nvcc::command::{Command, Environment, Plan};
use nvcc::host;
use nvcc::unit::TranslationUnit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The units of `scuba check FILE… -- FLAGS`.
///
/// # Errors
/// When there is no such file, or the flags make nvcc compile nothing of it.
pub fn named(files: &[PathBuf], flags: &[OsString], nvcc: Option<&Path>) -> Result<Vec<TranslationUnit>> {
    let directory = std::env::current_dir().context("there is no working folder")?;
    if let Some(missing) = files.iter().find(|f| !f.is_file()) {
        bail!("there is no file {}", missing.display());
    }
    // One command for each, as a build would: flags such as -o and -MF are for one source.
    let mut units = Vec::new();
    for file in files {
        let words: Vec<OsString> =
            std::iter::once("-c".into()).chain(flags.iter().cloned()).chain([file.into()]).collect();
        units.extend(read(&words, &directory, nvcc)?.with_context(|| {
            format!("nvcc compiles nothing of {} with these flags: {}", file.display(), shown(flags))
        })?);
    }
    Ok(units)
}

fn shown(flags: &[OsString]) -> String {
    flags.iter().map(|f| f.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// What `scuba-extract` defines when it runs clang, and nobody else does.
const OWN_DEFINITION: &str = "-D__SCUBA__";

/// The units of one nvcc command; `None` where it compiles nothing.
fn read(words: &[OsString], directory: &Path, nvcc: Option<&Path>) -> Result<Option<Vec<TranslationUnit>>> {
    let command = Command::read(words, &Environment::of_this_process(), directory);
    // This machine's GPUs are no part of what a check of sources depends on.
    let Some(plan) = command.plan(directory, nvcc, &Vec::new) else { return Ok(None) };
    if let Some(what) = plan.unreadable.first() {
        bail!("{what} cannot be read by an analysis");
    }
    Ok(Some(plan.request.units).filter(|units| !units.is_empty()))
}

#[derive(serde::Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The units of `DIR/compile_commands.json` (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>), C++ ones
/// included: they may launch kernels through functions, or hold `main`.
///
/// # Errors
/// When the file cannot be read or is no compilation database.
pub fn of_database(dir: &Path, nvcc: Nvcc<'_>) -> Result<Vec<TranslationUnit>> {
    let path = if dir.is_dir() { dir.join("compile_commands.json") } else { dir.to_owned() };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let units = of_text(&text, &path, nvcc)?;
    if units.is_empty() {
        bail!("{} names nothing that nvcc or a C++ compiler compiles", path.display());
    }
    Ok(units)
}

/// The units of a compilation database's text, whose folders are relative to that of `path`.
///
/// # Errors
/// When it is no compilation database.
pub fn of_text(text: &str, path: &Path, nvcc: Nvcc<'_>) -> Result<Vec<TranslationUnit>> {
    let entries: Vec<Entry> =
        serde_json::from_str(text).with_context(|| format!("{} is no compilation database", path.display()))?;
    let base = std::path::absolute(path).with_context(|| format!("cannot resolve {}", path.display()))?;
    let mut units = Vec::new();
    for e in entries {
        let about = || format!("{}: the entry of {}", path.display(), e.file.display());
        let words = match (e.arguments, e.command) {
            (Some(words), _) => words,
            (None, Some(command)) => {
                shlex::split(&command).with_context(|| format!("{} has an open quote", about()))?
            }
            (None, None) => bail!("{} has neither `command` nor `arguments`", about()),
        };
        // Our own reading of a unit, which a tool that watches the build (bear) saw as well.
        if words.iter().any(|w| w == OWN_DEFINITION) {
            continue;
        }
        let directory = base.parent().unwrap_or(Path::new("/")).join(&e.directory);
        units.extend(of_command(&words, &directory, nvcc).with_context(about)?);
    }
    Ok(units)
}

/// The nvcc of units whose command may name one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nvcc<'a> {
    /// By `SCUBA_NVCC` or scuba.toml: counts before what a command names.
    pub set: Option<&'a Path>,
    /// Where a command names none by a path.
    pub found: Option<&'a Path>,
}

/// The units of one command of a build, whatever launchers stand before its compiler.
///
/// # Errors
/// When an analysis cannot read what it compiles.
pub fn of_command(words: &[String], directory: &Path, nvcc: Nvcc<'_>) -> Result<Vec<TranslationUnit>> {
    if let Some(plan) = host_compile(words, directory) {
        return Ok(plan.request.units);
    }
    let named = host::named_nvcc(words).map(|n| directory.join(n));
    let nvcc = nvcc.set.or(named.as_deref()).or(nvcc.found);
    Ok(read(&host::nvcc_words(words), directory, nvcc)?.unwrap_or_default())
}

/// What a command of the host's own compiler compiles; `None` for nvcc's, and clang's of CUDA code.
fn host_compile(words: &[String], directory: &Path) -> Option<Plan> {
    let words: Vec<OsString> = host::without_launchers(words).iter().map(OsString::from).collect();
    host::compile(&words, directory).filter(|plan| plan.request.deferred)
}

#[cfg(test)]
mod tests {
    use super::{Nvcc, of_database};
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
        let units = of_database(dir, Nvcc::default()).unwrap();
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
        assert_eq!(of(Nvcc { set, found: set }).to_str(), Some("/set/nvcc"));
        assert_eq!(of(Nvcc { set: None, found }).to_str(), Some("/named/nvcc"));
    }

    #[test]
    fn what_is_no_compilation_database_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("compile_commands.json");
        let message = || format!("{:#}", of_database(dir.path(), Nvcc::default()).unwrap_err());
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
