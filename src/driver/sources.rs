//! Translation units named on the command line or in a compile_commands.json.

use crate::nvcc::unit::{Language, PreprocessorFlag, Sides, TranslationUnit};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The units of `scuba check FILE… -- FLAGS`.
///
/// # Errors
/// When a file cannot be read.
pub fn named(files: &[PathBuf], flags: &[OsString], nvcc: Option<&Path>) -> Result<Vec<TranslationUnit>> {
    let directory = std::env::current_dir().context("there is no working folder")?;
    files.iter().map(|f| {
        if !f.is_file() { bail!("{} is no file", f.display()); }
        unit(f, flags, &directory, nvcc)
    }).collect()
}

#[derive(serde::Deserialize)]
struct Entry { directory: PathBuf, file: PathBuf, command: Option<String>, arguments: Option<Vec<String>>, output: Option<PathBuf> }

/// The CUDA units of `DIR/compile_commands.json` (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>), and the
/// C++ units beside them.
///
/// # Errors
/// When the file cannot be read or is no compilation database.
pub fn of_database(dir: &Path, nvcc: Option<&Path>) -> Result<Vec<TranslationUnit>> {
    let path = if dir.is_dir() { dir.join("compile_commands.json") } else { dir.to_owned() };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let entries: Vec<Entry> = serde_json::from_str(&text).with_context(|| format!("{} is no compilation database", path.display()))?;
    let mut units = Vec::new();
    for e in entries {
        let words = match (e.arguments, e.command) {
            (Some(words), _) => words,
            (None, Some(command)) => shlex::split(&command)
                .with_context(|| format!("{}: the command of {} has an open quote", path.display(), e.file.display()))?,
            (None, None) => bail!("{}: the entry of {} has neither `command` nor `arguments`", path.display(), e.file.display()),
        };
        let flags: Vec<OsString> = words.into_iter().skip(1).map(OsString::from).collect();
        let mut unit = unit(&e.file, &flags, &e.directory, nvcc)?;
        unit.output = e.output.map(|o| e.directory.join(o));
        units.push(unit);
    }
    if units.is_empty() { bail!("{} names no units", path.display()); }
    Ok(units)
}

fn unit(file: &Path, flags: &[OsString], directory: &Path, nvcc: Option<&Path>) -> Result<TranslationUnit> {
    let mut unit = TranslationUnit {
        source: file.to_owned(),
        directory: directory.to_owned(),
        language: match file.extension().and_then(|e| e.to_str()) {
            Some("cu") => Language::Cuda,
            Some("c") => Language::C,
            _ => Language::Cxx,
        },
        output: None,
        preprocessor: vec![],
        standard: None,
        architectures: vec![],
        host_compiler: None,
        host_flags: vec![],
        sides: Sides::Both,
        relocatable: false,
        language_flags: vec![],
        nvcc: nvcc.map(Path::to_owned),
        command: flags.iter().map(|f| f.to_string_lossy().into_owned()).collect(),
    };
    let words = unit.command.clone();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = |joined: &str| if joined.is_empty() { rest.next().cloned().unwrap_or_default() } else { joined.to_owned() };
        if let Some(v) = word.strip_prefix("-D") { unit.preprocessor.push(PreprocessorFlag::Define(value(v))); }
        else if let Some(v) = word.strip_prefix("-U") { unit.preprocessor.push(PreprocessorFlag::Undefine(value(v))); }
        else if let Some(v) = word.strip_prefix("-I") { unit.preprocessor.push(PreprocessorFlag::Include(value(v).into())); }
        else if let Some(v) = word.strip_prefix("-std=") { unit.standard = Some(v.to_owned()); }
        else if let Some(v) = word.strip_prefix("-arch=sm_") { unit.architectures.extend(v.parse::<u32>()); }
    }
    Ok(unit)
}
