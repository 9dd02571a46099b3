//! The worker that reads translation units: the only binary that loads LLVM.
//!
//! `scuba-extract --worker` answers one request (see `frontend::worker`); `scuba-extract --dump FILE [-- FLAGS]`
//! prints the analysis form of a source, for people.

use anyhow::{Context, bail};
use std::io::Write;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--worker"] => scuba::frontend::worker::serve(std::io::stdin().lock(), std::io::stdout().lock()),
        ["--dump", file, rest @ ..] => dump(file, rest),
        _ => bail!("usage: scuba-extract --worker | scuba-extract --dump FILE [-- NVCC-FLAGS]"),
    }
}

/// Prints the analysis form of one source.
fn dump(file: &str, rest: &[&str]) -> anyhow::Result<()> {
    let flags = rest.strip_prefix(&["--"]).unwrap_or(rest);
    let unit = unit(file, flags)?;
    let extraction = scuba::frontend::clang::extract_here(&unit, &scuba::frontend::ExtractOptions::default());
    let mut out = std::io::stdout().lock();
    for note in &extraction.notes { writeln!(out, "; {note}")?; }
    for module in &extraction.modules { writeln!(out, "{module}")?; }
    for side in &extraction.not_analysed { writeln!(out, "; {:?} side not analysed: {}", side.side, side.reason)?; }
    Ok(())
}

fn unit(file: &str, flags: &[&str]) -> anyhow::Result<scuba::nvcc::unit::TranslationUnit> {
    use scuba::nvcc::unit::{Language, PreprocessorFlag as P, Sides, TranslationUnit};
    let mut unit = TranslationUnit {
        source: file.into(),
        directory: std::env::current_dir().context("no working directory")?,
        language: if file.ends_with(".c") { Language::C } else if file.ends_with(".cu") { Language::Cuda } else { Language::Cxx },
        output: None,
        preprocessor: vec![],
        standard: None,
        architectures: vec![],
        host_compiler: None,
        host_flags: vec![],
        sides: Sides::Both,
        relocatable: false,
        language_flags: vec![],
        nvcc: std::env::var_os("SCUBA_NVCC").map(Into::into).or_else(|| which::which("nvcc").ok()),
        command: vec![],
    };
    for flag in flags {
        if let Some(d) = flag.strip_prefix("-D") { unit.preprocessor.push(P::Define(d.into())); }
        else if let Some(d) = flag.strip_prefix("-I") { unit.preprocessor.push(P::Include(d.into())); }
        else if let Some(s) = flag.strip_prefix("-std=") { unit.standard = Some(s.into()); }
        else if let Some(a) = flag.strip_prefix("-arch=sm_") { unit.architectures.push(a.parse().context("-arch")?); }
        else { bail!("{flag}: not understood by --dump"); }
    }
    Ok(unit)
}
