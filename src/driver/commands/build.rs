//! `scuba build`: runs a build command with nvcc replaced, then joins the facts that it left.

use super::confirm::{self, ConfirmProject};
use super::warm;
use crate::args::BuildArgs;
use crate::last_report::{self, CheckSubject};
use crate::programs::makefile::PrintedCommand;
use crate::programs::pending;
use crate::programs::scope;
use crate::programs::sources::{self, NvccChoice};
use crate::programs::stored::StoredFacts;
use crate::programs::tools::BuildTools;
use crate::programs::unseen;
use crate::session::Session;
use crate::{Status, output};
use anyhow::{Context, Result};
use base::{own_program, paths};
pub use confirm::prepare::AttemptChoice;
use facts::linked::{self, ByOutput};
use facts::{DiskSnapshot, FactStore, LinkFacts, Recipe, UnitWithCode, canonical, key_of};
use files::FileTime;
use nvcc::command::ShimPlan;
use nvcc::history;
use nvcc::interpose::{self, BuildOutcome, ExecutedCommand};
use nvcc::shim;
use nvcc::unit::{Language, TranslationUnit};
use report::levels::Overrides;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// # Errors
/// If the build command cannot be run, or succeeded without anything being analysed.
pub fn run(args: &BuildArgs, overrides: Overrides) -> Result<Status> {
    let here = std::env::current_dir().context("the working folder does not exist")?;
    if shim::is_set("SCUBA_OFF") {
        return pass_through(&args.command);
    }
    let session = Session::new(&args.common, &overrides, &here)?.with_baseline()?.since(&args.diff)?;
    let name = format!("{}-{}", history::now(), std::process::id());
    let mut environment = session.environment(&args.common, &overrides);
    environment.push((history::BUILD.into(), name.clone().into()));
    let options = interpose::InterposeOptions { shim: own_shim()?, environment };
    let start = FileTime::now();
    let ran = in_its_place(&session, || interpose::run(&args.command, &options))?;
    let outcome = match ran {
        Err(cause) if cause.hinders_only_the_analysis() && !session.strict => {
            output::complain(&output::harmless(&format!("nothing is analysed: {cause}")));
            let status = in_its_place(&session, || pass_through(&args.command))??;
            return Ok(if status == Status::Other(0) { Status::Unable } else { status });
        }
        ran => ran?,
    };
    if !session.quiet() {
        outcome.notes.iter().for_each(|n| output::complain(&output::harmless(n)));
    }

    let built = session.elapsed();
    let outputs = outputs(&outcome, &here);
    let written: BTreeSet<PathBuf> =
        outputs.iter().filter_map(|(output, folder)| Some(canonical(&folder.join(output.as_ref()?)))).collect();
    keep(&outcome, &cuda_objects(&outcome), &here);
    record(&outcome.host_compiles, &here);
    record(&outcome.host_programs, &here);

    if is_interrupted(outcome.status) {
        return Ok(own_status(outcome.status));
    }
    let complain = |line: &str| output::complain(&output::harmless(line));
    let roots = build_folders(&outcome, &outputs);
    let tools = BuildTools::of(&outcome.tools);
    let mut opened = StoredFacts::of_build(roots.clone(), root_of(None, &here), &here, start, complain);
    // If the build had nothing to do and no facts exist, make and Ninja list what they made before.
    if opened.is_err() && outcome.status.success() && record_printed(&tools.all_commands(), &here) {
        opened = StoredFacts::of_build(roots, root_of(None, &here), &here, start, complain);
    }
    let stored = match opened {
        Ok(mut stored) => {
            tell_skipped(&session, stored.skip_other_configurations(&written));
            stored.ask_tools(&tools);
            stored.refresh(&session);
            // In a failed build, a link without output is a link that failed.
            if outcome.status.success() {
                stored.note_removed(&outcome.links_without_output);
            }
            stored
        }
        Err(e) if outcome.status.success() => return Err(e.context(why_nothing(&outcome))),
        Err(_) => return Ok(ended(&args.command, outcome.status, &session)),
    };
    let session = session.with_confirmations(stored.folders());
    let checked = stored.check(&session);
    if session.verbose() {
        checked.notes.iter().for_each(|n| output::complain(n));
    }
    let nothing = checked.modules == 0 || checked.found.programs.is_empty();
    if nothing && !checked.found.excluded.is_empty() {
        output::complain(scope::ALL_OUTSIDE);
    }
    let (mut assembled, sources) = session.assemble(checked.found, checked.frontend);
    let project = ConfirmProject::stored(&stored);
    if let Some(line) = confirm::automatically(
        &mut assembled,
        &sources,
        &project,
        AttemptChoice { program: false, checks: Some(&session.extract_options()), until: None },
        &session,
    ) && !session.quiet()
    {
        output::complain(&output::harmless(&line));
    }
    // A finding that was shown during the build is shown again if a device run has had an outcome for it since.
    let mut told = stored.told_since(start);
    told.retain(|t| {
        !assembled.report.findings.iter().any(|f| f.fingerprint == t.fingerprint && f.confirmation.is_some())
    });
    session.keep(&assembled.report, "build", Some(name), session.elapsed().saturating_sub(built), &stored.folders());
    let (folders, contracts) = (stored.folders(), checked.contracts);
    let subject = CheckSubject { folders, contracts, of_facts: true, ..CheckSubject::default() };
    last_report::keep(&session, &assembled, &sources, &subject);
    let status = match session.tell(assembled, &sources, &told)? {
        Status::Clean if nothing => Status::Unable,
        status => status,
    };
    session.close_remote();
    let own = ended(&args.command, outcome.status, &session);
    warm::start_after_build(session.config.warm);
    Ok(match status {
        Status::Clean if !outcome.status.success() => own,
        status => status,
    })
}

/// Returns the reason why a build left no facts.
fn why_nothing(outcome: &BuildOutcome) -> &'static str {
    if cuda_objects(outcome).is_empty() && !outcome.compiles.iter().any(is_unreadable) {
        "the build command succeeded, but nothing was analysed: it compiled and linked no CUDA code, and no build tool that it ran lists how the existing objects were compiled (clean, then build again)"
    } else {
        "the build command succeeded, but none of the CUDA code that it compiled was analysed"
    }
}

/// Says which programs were skipped since another configuration of the build made them.
fn tell_skipped(session: &Session, others: &BTreeSet<PathBuf>) {
    let Some(first) = others.first().filter(|_| !session.quiet()) else { return };
    let (first, n) = (session.root.show(&first.to_string_lossy()), others.len());
    let line = format!("programs of other configurations skipped: {n}, for example {first}; `scuba check` checks all");
    output::complain(&output::harmless(&line));
}

/// Runs the build command unchanged.
///
/// # Errors
/// If it cannot be started.
fn pass_through(command: &[OsString]) -> Result<Status> {
    let (program, arguments) = command.split_first().context("there is no command to run")?;
    let status = std::process::Command::new(program)
        .args(arguments)
        .status()
        .with_context(|| format!("cannot run `{}`", program.display()))?;
    Ok(own_status(status))
}

/// Runs the build with its standard output where it belongs in this format.
fn in_its_place<T>(session: &Session, work: impl FnOnce() -> T) -> Result<T> {
    if session.format.is_document() { with_output_on_error_stream(work) } else { Ok(work()) }
}

/// Redirects the build's standard output to standard error during `work`, so that the document stands alone on
/// standard output.
fn with_output_on_error_stream<T>(work: impl FnOnce() -> T) -> Result<T> {
    let failed = "cannot redirect the build's output";
    let saved = rustix::io::dup(rustix::stdio::stdout()).context(failed)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).context(failed)?;
    let done = work();
    rustix::stdio::dup2_stdout(&saved).context(failed)?;
    Ok(done)
}

/// Returns the outputs of a build's commands, objects and linked files, each with the folder that its command ran in.
/// A command that compiles and links at once has no lasting object.
fn outputs(outcome: &BuildOutcome, here: &Path) -> Vec<(Option<PathBuf>, PathBuf)> {
    let mut all: Vec<_> = nvccs(outcome).map(|unit| (unit.output, unit.directory)).collect();
    let host = outcome.host_compiles.iter().flat_map(|plan| &plan.request.units);
    all.extend(host.map(|unit| (unit.output.clone(), here.to_owned())));
    all.extend(outcome.links.iter().map(|link| (Some(link.output.clone()), here.to_owned())));
    all
}

/// Returns the units of nvcc commands.
fn nvccs(outcome: &BuildOutcome) -> impl Iterator<Item = TranslationUnit> {
    let runs = outcome.compiles.iter().filter(|run| run.directory.is_absolute());
    runs.flat_map(|run| {
        let words: Option<Vec<String>> = run.arguments.iter().map(|w| w.to_str().map(str::to_owned)).collect();
        words
            .and_then(|words| sources::of_command(&words, &run.directory, NvccChoice::default()).ok())
            .unwrap_or_default()
    })
}

/// Whether a command has words that are not UTF-8: it is not analysed.
fn is_unreadable(command: &ExecutedCommand) -> bool {
    command.arguments.iter().any(|word| word.to_str().is_none()) || command.directory.to_str().is_none()
}

/// Returns the objects that nvcc made of CUDA code, by canonical paths.
fn cuda_objects(outcome: &BuildOutcome) -> BTreeSet<PathBuf> {
    let cuda = nvccs(outcome).filter(|unit| unit.language == Language::Cuda);
    cuda.filter_map(|unit| Some(canonical(&unit.directory.join(unit.output?)))).collect()
}

/// Returns the build folders of a build command: those that its commands wrote to, and those that its build tools ran
/// for, even with nothing to do.
fn build_folders(outcome: &BuildOutcome, outputs: &[(Option<PathBuf>, PathBuf)]) -> BTreeSet<PathBuf> {
    let tools = outcome.tool_folders.iter().filter_map(|folder| root_of(None, folder));
    outputs.iter().filter_map(|(output, folder)| root_of(output.as_deref(), folder)).chain(tools).collect()
}

/// Returns the build folder of an output, or of a working folder; `None` if it has gone. `SCUBA_DIR` moves the facts,
/// not the build.
fn root_of(output: Option<&Path>, working: &Path) -> Option<PathBuf> {
    paths::resolve(output, working, None).parent().filter(|root| root.is_dir()).map(Path::to_owned)
}

/// Stores the links of the host's tools, for this join and later ones.
fn keep(outcome: &BuildOutcome, compiled: &BTreeSet<PathBuf>, here: &Path) {
    let links: Vec<LinkFacts> =
        outcome.links.iter().map(|link| LinkFacts { link: link.clone(), units: vec![] }).collect();
    let by_output = ByOutput::of(&links);
    let mut looked: HashMap<PathBuf, bool> = HashMap::new();
    let mut is_cuda = |file: &Path| {
        let carries = || !linked::is_of_system(file) && linked::has_device_code(file);
        compiled.contains(file) || *looked.entry(file.to_owned()).or_insert_with(carries)
    };
    for facts in &links {
        let link = &facts.link;
        let store = FactStore::new(paths::of_this_process(Some(&link.output), here));
        // Archives and programs without CUDA code are links too. All links are stored beside facts of units;
        // elsewhere, only links that take in CUDA code from another folder.
        if !store.folder().is_dir() && !by_output.take_in(facts, &mut is_cuda) {
            continue;
        }
        let compiled = outcome.host_programs.iter().filter(|p| p.request.link.as_ref() == Some(link));
        let units = compiled.flat_map(|p| &p.request.units).map(|u| key_of(u, Some(link))).collect();
        if let Err(e) = store.write_link(&LinkFacts { link: link.clone(), units }) {
            output::complain(&output::harmless(&e.to_string()));
        }
    }
}

/// Stores the units and links that make prints, to be read. Returns whether they include CUDA code and were stored.
fn record_printed(printed: &[PrintedCommand], here: &Path) -> bool {
    let (units, links) = unseen::of_printed(printed, &DiskSnapshot::default());
    let cuda = units.iter().any(|u| u.unit.language == Language::Cuda);
    if !cuda {
        return false;
    }
    let store_of = |output: &Path| FactStore::new(paths::of_this_process(Some(output), here));
    for facts in units {
        // A unit with key `LINK#SOURCE` is stored beside the link's output.
        let store = store_of(facts.unit.output.as_deref().unwrap_or(&facts.key));
        if let Err(e) = store.write_unit(&UnitWithCode { facts, modules: vec![], second: None }) {
            output::complain(&output::harmless(&e.to_string()));
            return false;
        }
    }
    for link in links {
        if let Err(e) = store_of(&link.link.output).write_link(&link) {
            output::complain(&output::harmless(&e.to_string()));
        }
    }
    true
}

/// Stores the units of the host's own compilers beside facts of CUDA code: a program may decide in them how much it
/// allocates.
fn record(compiles: &[ShimPlan], here: &Path) {
    let present = DiskSnapshot::default();
    let units = compiles.iter().flat_map(|p| p.request.units.iter().map(|u| (u, p.request.link.as_ref())));
    for (unit, link) in units {
        let output = unit.output.as_deref().or(link.map(|l| l.output.as_path()));
        let store = FactStore::new(paths::of_this_process(output, here));
        // clang's CUDA code gets a folder of its own.
        if !store.folder().is_dir() && unit.language != Language::Cuda {
            continue;
        }
        let mut recorded = pending::record(unit);
        recorded.facts.key = key_of(unit, link);
        recorded.facts.recipe = Recipe::of(&recorded.facts.key, &unit.directory, &present);
        if let Err(e) = store.write_unit(&recorded) {
            return output::complain(&output::harmless(&e.to_string()));
        }
    }
}

/// Returns the path of `scuba-nvcc`, which is installed beside `scuba`.
fn own_shim() -> Result<PathBuf> {
    let own = own_program::path().context("cannot find the folder of `scuba`")?;
    Ok(own.with_file_name("scuba-nvcc"))
}

/// Returns the build command's own exit status, and says that it failed where it did.
fn ended(command: &[OsString], status: ExitStatus, session: &Session) -> Status {
    if let Some(line) = failing(command, status).filter(|_| !session.quiet()) {
        output::complain(&line);
    }
    own_status(status)
}

/// Returns the line that names a build command that failed, and how.
fn failing(command: &[OsString], status: ExitStatus) -> Option<String> {
    let words = command.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>();
    let command = shlex::try_join(words.iter().map(AsRef::as_ref)).unwrap_or_else(|_| words.join(" "));
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("the build command failed: `{command}` exited with status {code}")),
        (None, Some(signal)) => Some(format!("the build command failed: signal {signal} ended `{command}`")),
        (None, None) => Some(format!("the build command failed: `{command}`")),
    }
}

/// Whether a user ended the build: nobody waits for a check of its result.
fn is_interrupted(status: ExitStatus) -> bool {
    // Some tools (ninja) exit by themselves after a signal, with a shell's status for it.
    let by_signal = [SIGINT, SIGTERM, SIGHUP].map(|signal| Some(128 + signal));
    status.signal().is_some() || by_signal.contains(&status.code())
}

/// Returns the build command's own exit status; after a signal, the status that a shell gives.
fn own_status(status: ExitStatus) -> Status {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(2);
    Status::Other(u8::try_from(code).unwrap_or(2))
}
