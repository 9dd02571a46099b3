//! `scuba build`: a build command with nvcc replaced, then the join of what it left.

use super::args::BuildArgs;
use super::check::finish;
use super::session::Session;
use super::stored::Stored;
use super::{Status, output};
use crate::facts::LinkFacts;
use crate::nvcc::interpose;
use crate::report::levels::Overrides;
use anyhow::{Context, Result};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

/// # Errors
/// When the build command cannot be run, or nothing of it was analysed.
pub fn run(args: &BuildArgs, overrides: Overrides) -> Result<Status> {
    let here = std::env::current_dir().context("there is no working folder")?;
    let session = Session::new(&args.common, &overrides, &here)?.with_baseline()?;
    let options = interpose::Options { shim: shim()?, environment: vec![] };
    let outcome = interpose::run(&args.command, &options)?;
    if !session.quiet() { outcome.notes.iter().for_each(|n| output::complain(&output::harmless(n))); }

    let mut stored = match Stored::open(&here, |line| output::complain(&output::harmless(line))) {
        Ok(stored) => stored,
        Err(e) if outcome.status.success() => return Err(e.context("the build command succeeded, but nothing of it was analysed")),
        Err(_) => return Ok(own_status(outcome.status)),
    };
    stored.add_links(outcome.links.into_iter().map(|link| LinkFacts { link, units: vec![] }));
    let status = finish(&session, stored.check(&session))?;
    Ok(match status {
        Status::Clean if !outcome.status.success() => own_status(outcome.status),
        status => status,
    })
}

/// `scuba-nvcc`, which is installed beside `scuba`.
fn shim() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where `scuba` lies")?;
    Ok(own.with_file_name("scuba-nvcc"))
}

/// The build command's own exit status; killed by a signal, as a shell shows it.
fn own_status(status: ExitStatus) -> Status {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(2);
    Status::Other(u8::try_from(code).unwrap_or(2))
}
