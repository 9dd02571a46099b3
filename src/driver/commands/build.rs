//! `scuba build`: a build command with nvcc replaced, then the join of what it left.

use super::confirm::{self, Project};
use crate::confirm::prepare::Ways;
use crate::driver::args::BuildArgs;
use crate::driver::programs::makefile::Make;
use crate::driver::programs::pending;
use crate::driver::programs::sources::{self, Nvcc};
use crate::driver::programs::stored::Stored;
use crate::driver::session::Session;
use crate::driver::{Status, output};
use crate::facts::{LinkFacts, Present, Recipe, Store};
use crate::files::Moment;
use crate::nvcc::command::Plan;
use crate::nvcc::history;
use crate::nvcc::interpose::{self, Outcome};
use crate::nvcc::request::Link;
use crate::nvcc::shim;
use crate::nvcc::unit::Language;
use crate::paths;
use crate::report::levels::Overrides;
use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// # Errors
/// When the build command cannot be run, or nothing of it was analysed.
pub fn run(args: &BuildArgs, overrides: Overrides) -> Result<Status> {
    let here = std::env::current_dir().context("there is no working folder")?;
    if shim::is_set("SCUBA_OFF") {
        return pass_through(&args.command);
    }
    let session = Session::new(&args.common, &overrides, &here)?.with_baseline()?;
    let name = format!("{}-{}", history::now(), std::process::id());
    let mut environment = session.environment(&args.common, &overrides);
    environment.push((history::BUILD.into(), name.clone().into()));
    let options = interpose::Options { shim: own_shim()?, environment };
    let start = Moment::now();
    let outcome = if session.format.is_document() {
        with_output_on_error_stream(|| interpose::run(&args.command, &options))??
    } else {
        interpose::run(&args.command, &options)?
    };
    if !session.quiet() {
        outcome.notes.iter().for_each(|n| output::complain(&output::harmless(n)));
    }

    let built = session.elapsed();
    keep(&outcome.links, &here);
    record(&outcome.host_compiles, &here);

    if is_interrupted(outcome.status) {
        return Ok(own_status(outcome.status));
    }
    let complain = |line: &str| output::complain(&output::harmless(line));
    let stored = match Stored::of_build(build_folders(&outcome, &here), root_of(None, &here), &here, complain) {
        Ok(mut stored) => {
            if let Some(make) = Make::of(&args.command, &here) {
                stored.ask_make(&make);
            }
            stored.refresh(&session);
            stored
        }
        Err(e) if outcome.status.success() => {
            return Err(e.context("the build command succeeded, but nothing of it was analysed"));
        }
        Err(_) => return Ok(own_status(outcome.status)),
    };
    let session = session.with_confirmations(stored.folders());
    let checked = stored.check(&session);
    if session.verbose() {
        checked.notes.iter().for_each(|n| output::complain(n));
    }
    let nothing = checked.modules == 0 || checked.found.programs.is_empty();
    let (mut assembled, sources) = session.assemble(checked.found, checked.frontend);
    let project = Project::stored(&stored);
    if let Some(line) = confirm::automatically(
        &mut assembled,
        &sources,
        &project,
        Ways { program: false, checks: Some(&session.extract_options()), until: None },
        &session,
    ) && !session.quiet()
    {
        output::complain(&output::harmless(&line));
    }
    // What was read during the build is worth reading again where the device has said something since.
    let mut told = stored.told_since(start);
    told.retain(|t| {
        !assembled.report.findings.iter().any(|f| f.fingerprint == t.fingerprint && f.confirmation.is_some())
    });
    session.keep(&assembled.report, "build", Some(name), session.elapsed().saturating_sub(built), &stored.folders());
    let status = match session.tell(assembled, &sources, &told)? {
        Status::Clean if nothing => Status::Unable,
        status => status,
    };
    Ok(match status {
        Status::Clean if !outcome.status.success() => own_status(outcome.status),
        status => status,
    })
}

/// Runs the build command as it is.
///
/// # Errors
/// When it cannot be started.
fn pass_through(command: &[OsString]) -> Result<Status> {
    let (program, arguments) = command.split_first().context("there is no command to run")?;
    let status = std::process::Command::new(program)
        .args(arguments)
        .status()
        .with_context(|| format!("cannot run `{}`", program.display()))?;
    Ok(own_status(status))
}

/// What the build writes to standard output goes to standard error meanwhile: the document must stand there alone.
fn with_output_on_error_stream<T>(work: impl FnOnce() -> T) -> Result<T> {
    let failed = "cannot redirect the build's output";
    let saved = rustix::io::dup(rustix::stdio::stdout()).context(failed)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).context(failed)?;
    let done = work();
    rustix::stdio::dup2_stdout(&saved).context(failed)?;
    Ok(done)
}

/// The build folders that a build command was about: those that its commands wrote to, and those that build tools were started
/// for, which may have had nothing to do.
fn build_folders(outcome: &Outcome, here: &Path) -> BTreeSet<PathBuf> {
    let mut roots = BTreeSet::new();
    for run in outcome.compiles.iter().filter(|run| run.directory.is_absolute()) {
        let words: Option<Vec<String>> = run.arguments.iter().map(|w| w.to_str().map(str::to_owned)).collect();
        let units = words.map(|words| sources::of_command(&words, &run.directory, Nvcc::default()).unwrap_or_default());
        roots.extend(units.iter().flatten().filter_map(|unit| root_of(unit.output.as_deref(), &run.directory)));
    }
    let host = outcome.host_compiles.iter().flat_map(|plan| &plan.request.units);
    roots.extend(host.filter_map(|unit| root_of(unit.output.as_deref(), here)));
    roots.extend(outcome.links.iter().filter_map(|link| root_of(Some(&link.output), here)));
    roots.extend(outcome.tool_folders.iter().filter_map(|folder| root_of(None, folder)));
    roots
}

/// The build folder of an output, or of a working folder; `None` where it has gone. `SCUBA_DIR` says where facts lie, not where
/// a build is.
fn root_of(output: Option<&Path>, working: &Path) -> Option<PathBuf> {
    paths::resolve(output, working, None).parent().filter(|root| root.is_dir()).map(Path::to_owned)
}

/// Keeps the links that the host's tools made, for this join and for later ones.
fn keep(links: &[Link], here: &Path) {
    for link in links {
        let store = Store::new(paths::of_this_process(Some(&link.output), here));
        // Archives and programs without CUDA code are links too; where no unit's facts lie, none are needed.
        if !store.folder().is_dir() {
            continue;
        }
        if let Err(e) = store.write_link(&LinkFacts { link: link.clone(), units: vec![] }) {
            output::complain(&output::harmless(&e.to_string()));
        }
    }
}

/// Keeps what the host's own compilers compiled, where facts of CUDA code lie: a program may decide there what it allocates.
fn record(compiles: &[Plan], here: &Path) {
    let present = Present::default();
    for unit in compiles.iter().flat_map(|plan| &plan.request.units) {
        let store = Store::new(paths::of_this_process(unit.output.as_deref(), here));
        // clang's CUDA code makes a folder of its own.
        if !store.folder().is_dir() && unit.language != Language::Cuda {
            continue;
        }
        let mut recorded = pending::record(unit);
        recorded.facts.recipe = Recipe::of(&recorded.facts.key, &unit.directory, &present);
        if let Err(e) = store.write_unit(&recorded) {
            return output::complain(&output::harmless(&e.to_string()));
        }
    }
}

/// `scuba-nvcc`, which is installed beside `scuba`.
fn own_shim() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where `scuba` lies")?;
    Ok(own.with_file_name("scuba-nvcc"))
}

/// Whether somebody wanted the build to end: nobody waits for a check of what there is then.
fn is_interrupted(status: ExitStatus) -> bool {
    // Some tools (ninja) end by themselves, with a shell's status for what a signal ended.
    let by_signal = [SIGINT, SIGTERM, SIGHUP].map(|signal| Some(128 + signal));
    status.signal().is_some() || by_signal.contains(&status.code())
}

/// The build command's own exit status; killed by a signal, as a shell shows it.
fn own_status(status: ExitStatus) -> Status {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(2);
    Status::Other(u8::try_from(code).unwrap_or(2))
}
