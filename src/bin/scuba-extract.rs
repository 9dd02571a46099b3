//! Worker that reads translation units: the only binary that loads LLVM.
//!
//! `scuba-extract --worker` answers one request (see `frontend::worker`). `scuba-extract --dump FILE [-- FLAGS]`
//! prints the analysis form of a source, for people; `scuba-extract --dump FILE.mlir` does so for MLIR that cgeist
//! printed.

use anyhow::{Context, bail};
use scuba::frontend::ExtractOptions;
use scuba::nvcc::command::{Environment, NvccCommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// Front end besides clang.
#[cfg(feature = "cgeist")]
const OTHER: Option<scuba::frontend::InProcessReader> = Some(scuba::cgeist::READER);
#[cfg(not(feature = "cgeist"))]
const OTHER: Option<scuba::frontend::InProcessReader> = None;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--worker"] => scuba::frontend::worker::serve(std::io::stdin().lock(), std::io::stdout().lock(), OTHER),
        #[cfg(feature = "cgeist")]
        ["--dump", file] if file.ends_with(".mlir") => dump_mlir(file),
        ["--dump", file, rest @ ..] => dump(file, rest),
        _ => bail!("usage: scuba-extract --worker | scuba-extract --dump FILE [-- NVCC-FLAGS]"),
    }
}

/// Prints the analysis form of one source, compiled with nvcc's flags.
fn dump(file: &str, rest: &[&str]) -> anyhow::Result<()> {
    let flags = rest.strip_prefix(&["--"]).unwrap_or(rest);
    let directory = std::env::current_dir().context("no working directory")?;
    let nvcc = std::env::var_os("SCUBA_NVCC").map(PathBuf::from).or_else(|| which::which("nvcc").ok());
    let arguments: Vec<OsString> = flags.iter().chain(&["-c", file]).map(OsString::from).collect();
    let plan = NvccCommand::read(&arguments, &Environment::default(), &directory)
        .plan(&directory, nvcc.as_deref(), &Vec::new)
        .with_context(|| format!("nothing to analyse in {arguments:?}"))?;
    let mut out = std::io::stdout().lock();
    for unit in &plan.request.units {
        let extraction = scuba::frontend::clang::extract_here(unit, &ExtractOptions::default());
        for note in &extraction.notes {
            writeln!(out, "; {note}")?;
        }
        for module in &extraction.modules {
            writeln!(out, "{module}")?;
        }
        for side in &extraction.not_analysed {
            writeln!(out, "; {:?} side not analysed: {}", side.side, side.reason)?;
        }
    }
    Ok(())
}

/// Prints the analysis form of MLIR.
#[cfg(feature = "cgeist")]
fn dump_mlir(file: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
    // The source beside the file gives the names of variables.
    let stem = file.rsplit('/').next().and_then(|n| n.split('.').next()).unwrap_or_default();
    let source = PathBuf::from(file).with_file_name(format!("{stem}.cu"));
    let about = scuba::cgeist::lower::unit::SourceFacts {
        text: std::fs::read_to_string(&source).unwrap_or_default(),
        source: source.to_string_lossy().into_owned(),
        ..Default::default()
    };
    let lowered = scuba::cgeist::lower_text(&text, &about).with_context(|| file.to_owned())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}{}", lowered.device, lowered.host)?;
    for (name, n) in &lowered.unknown {
        writeln!(out, "; {n} of {name} are not known")?;
    }
    Ok(())
}
