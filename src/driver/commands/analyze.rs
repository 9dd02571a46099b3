//! `scuba __analyze`: the command that the shim runs beside nvcc.
//!
//! In: a [`AnalysisRequest`] as JSON on standard input. Out: on standard error, findings, one line for each unit that could
//! not be analysed, and notes; facts in the output's `.scuba`. Exit status 0, 1 (denied) or 2 (could not analyse).

use super::confirm::{self, ConfirmProject};
use super::warm;
use crate::history::{CommandRecord, HistoryRecord};
use crate::programs::joined::Joined;
use crate::programs::{checking, pending, scope, unseen};
use crate::session::{Session, folder_of};
use crate::{Status, extraction, output};
use anyhow::{Context, Result};
use base::paths;
use base::rules::Level;
use check::Pace;
pub use confirm::prepare::AttemptChoice;
use facts::{DiskSnapshot, FactStore, LinkFacts, Maker, Recipe, ReportedFinding, UnitWithCode, key_of};
use finding::sources::SourceFiles;
use finding::{Finding, NotAnalysed, Report, Verdict};
use nvcc::history::{self, BuildHistory};
use nvcc::notes::Notes;
use nvcc::once::{self, OnceMessage, PrintedMessages};
use nvcc::processes;
use nvcc::request::{AnalysisRequest, Link};
use nvcc::shim;
use nvcc::unit::TranslationUnit;
use report::assemble::Assembled;
use std::path::Path;
use std::time::{Duration, Instant};

/// Part of the shim's time that is reserved for reporting.
const SPARE: Duration = Duration::from_secs(3);

/// Runs the command. A failure is one line and status 2.
pub fn run() -> Status {
    analyze().unwrap_or_else(|e| {
        output::complain(&output::harmless(&format!("not analysed: {e:#}")));
        Status::Unable
    })
}

fn analyze() -> Result<Status> {
    let at = history::now();
    let request: AnalysisRequest = serde_json::from_reader(std::io::stdin().lock())
        .context("the shim's request cannot be read; are `scuba` and `scuba-nvcc` of one version?")?;
    let start = match request.units.first() {
        Some(unit) => folder_of(&unit.directory.join(&unit.source))?,
        None => request.directory.clone(),
    };
    let session = Session::of_shim(&start, u32::try_from(request.units.len().max(1)).unwrap_or(u32::MAX))?;
    // All facts of one command are stored together.
    let store = FactStore::new(paths::of_this_process(output_of(&request), &request.directory));
    if hashes_one_pass(&request) {
        let first = "scuba: note: ccache hashes only the code of the first architecture, so a change to the code of another one or of the host can give the old object: set CCACHE_DEPEND=1".to_owned();
        say_once(&OnceMessage { key: "ccache".into(), first, later: None }, &store);
    }
    if let Err(why) = paths::remote_cache() {
        anyhow::ensure!(!session.strict, why);
        let first = format!("scuba: note: {}; only the local cache is used", output::harmless(&why));
        say_once(&OnceMessage { key: "remote cache".into(), first, later: None }, &store);
    }
    let in_error = session.settings_in_error(&subject(&request, &session));
    let (remote, warm) = (session.remote().clone(), session.config.warm);
    let done = judge(&request, session, &store, at);
    if let Some(line) = remote.refusals() {
        Notes::new(output_of(&request), &request.directory).add("cache", &line);
    }
    if let Some(line) = remote.message() {
        say_once(&line, &store);
    }
    if request.link.is_some() && history::build_of_this_process().is_none() {
        warm::start_after_build(warm);
    }
    if let Some(line) = in_error {
        let denied = matches!(done, Ok(Status::Denied));
        say_once(&OnceMessage { later: line.later.filter(|_| denied), ..line }, &store);
    }
    done
}

/// Whether ccache decides if nvcc runs, and the command compiles code for architectures that ccache ignores. Except in
/// depend mode, ccache hashes the output of `nvcc -E`, which is that of the first architecture's pass (ccache 4.7 and
/// 4.14, nvcc 13.0).
fn hashes_one_pass(request: &AnalysisRequest) -> bool {
    let depends = std::env::var_os("CCACHE_DEPEND").is_some();
    !depends && request.launcher.as_deref() == Some("ccache") && request.units.iter().any(|u| u.architectures.len() > 1)
}

/// Returns the first file that a command writes.
fn output_of(request: &AnalysisRequest) -> Option<&Path> {
    let unit = request.units.iter().find_map(|u| u.output.as_deref());
    unit.or_else(|| request.link.as_ref().map(|l| l.output.as_path()))
}

/// Writes a line, or hands it to the shim to write.
fn say_once(line: &OnceMessage, store: &FactStore) {
    if shim::is_set(once::ASKED) {
        output::print_error(&line.unsettled());
    } else if let Some(text) = PrintedMessages::of(store.folder()).say(line) {
        output::print_error(&format!("{text}\n"));
    }
}

/// Subject of a command in messages: its sources, else the output of its link.
fn subject(request: &AnalysisRequest, session: &Session) -> String {
    let show = |p: &Path| session.root.show(&request.directory.join(p).to_string_lossy());
    match (request.units.as_slice(), &request.link) {
        ([], link) => link.as_ref().map_or_else(|| "standard input".into(), |l| show(&l.output)),
        ([unit], _) => show(&unit.source),
        ([unit, more @ ..], _) => format!("{} (and {} more)", show(&unit.source), more.len()),
    }
}

/// Stores the facts of one command, and checks the programs that they belong to.
fn judge(request: &AnalysisRequest, session: Session, store: &FactStore, at: u64) -> Result<Status> {
    let link = request.link.as_ref();
    let present = DiskSnapshot::default();
    let units: Vec<UnitWithCode> = request.units.iter().map(|u| unit(u, request, &present, &session)).collect();
    let kept = keep(store, &units, link);
    let notes = Notes::new(output_of(request), &request.directory);
    if !session.config.waits.at(link.is_some()) {
        return Ok(later(&units, &session, &notes));
    }
    let session = session.with_confirmations(vec![store.folder().to_owned()]);
    let joined = Joined::new(store, &units, link, &present, &session);
    for line in &joined.waiting {
        notes.add("join", line);
    }
    if joined.plans.is_empty() {
        let lacking = tell_unread(&joined, store) && session.strict;
        return Ok(if lacking { Status::Unable } else { Status::Clean });
    }
    // A command that compiles and links waits as a link does.
    let session = session.with_pace(if link.is_some() { Pace::Link } else { Pace::Compile });
    let mut checked = checking::check(
        &joined.plans,
        &joined.facts,
        |i| Ok((joined.modules(i, store)?, joined.second(i))),
        &session,
        |_| {},
    );
    for note in checked.notes.iter().chain(&checked.problems) {
        notes.add("check", note);
    }
    for line in checked.faults.iter().map(|f| &f.line).chain(&checked.cut) {
        output::complain(&output::harmless(line));
    }
    let wrong = !checked.faults.is_empty();
    // Only whole runs know which comments silence nothing. Failures of other commands were reported when these
    // compiled.
    checked.found.files.clear();
    let is_read_now = |n: &NotAnalysed| joined.is_read_now(Path::new(&n.file));
    checked.found.not_analysed.retain(is_read_now);
    // Units that were built without the analysis belong to other commands.
    checked.found.built_without.clear();
    for unit in checked.found.units.values_mut() {
        unit.not_analysed.retain(is_read_now);
        unit.built_without = None;
    }
    checked.found.unseen = joined.unseen.iter().cloned().collect();
    let programs = checked.found.programs.iter().map(|p| (p.name.clone(), p.summary.clone())).collect();
    let (mut assembled, sources) = session.assemble(checked.found, checked.frontend);
    let tentative = |f: &Finding| {
        f.verdict == Verdict::Possible
            && f.level < Level::Deny
            && joined.plans.iter().any(|p| p.tentative && p.name == f.program)
    };
    // A denied finding fails this command, even if it was reported before.
    let told = |f: &Finding| f.level < Level::Deny && joined.told.iter().any(|t| t.covers(&f.fingerprint, f.level));
    assembled.omit_findings(|f| tentative(f) || told(f));
    tell_unread(&joined, store);
    for line in output::not_analysed_in_build(&assembled.report.not_analysed) {
        output::complain(&line);
    }
    if assembled.report.denied()
        && let Some(line) = ask_device(&mut assembled, &sources, (&joined, store), &session)
    {
        notes.add("confirm", &line);
    }
    if !assembled.report.findings.is_empty() {
        session.write(&assembled, &sources)?;
        session.explain_comments(&assembled);
    }

    let told: Vec<ReportedFinding> = assembled
        .report
        .findings
        .iter()
        .map(|f| ReportedFinding { fingerprint: f.fingerprint.clone(), level: f.level })
        .collect();
    let denied = assembled.report.denied();
    let (build, counts) = (history::build_of_this_process(), session.tally.counts());
    BuildHistory::of(store.folder()).add(&HistoryRecord::Analysis(CommandRecord {
        at,
        build,
        counts,
        programs,
        denied,
    }));
    if kept && !told.is_empty() {
        for unit in &units {
            if let Err(e) = store.note_verdict(&unit.facts.key, denied, &told) {
                output::complain(&output::harmless(&e.to_string()));
            }
        }
    }
    let status = if denied { Status::Denied } else { unless_lacking(&assembled.report, session.strict, wrong) };
    Ok(if session.strict && status == Status::Clean && !joined.unread.is_empty() { Status::Unable } else { status })
}

/// Reports objects of linked programs that were not read. Returns whether there are any.
fn tell_unread(joined: &Joined, store: &FactStore) -> bool {
    if let Some(by) = joined.links_unknown {
        let first = format!("scuba: note: {}", unseen::other_linker(by));
        let key = format!("links {}", processes::build_tool_above().unwrap_or_default());
        say_once(&OnceMessage { key, first, later: None }, store);
    }
    let lines: Vec<String> = output::unseen(&joined.unseen).into_iter().chain(joined.unread.iter().cloned()).collect();
    for line in &lines {
        output::complain(&output::harmless(&format!("note: {line}")));
    }
    !lines.is_empty()
}

/// Confirms denied findings on the device, if there is one. The build stops here in any case, and single launches take
/// a moment. No host code of the user runs.
fn ask_device(
    assembled: &mut Assembled,
    sources: &SourceFiles,
    (joined, store): (&Joined, &FactStore),
    session: &Session,
) -> Option<String> {
    let project = ConfirmProject {
        facts: joined.facts.iter().collect(),
        modules: Box::new(|i| joined.modules(i, store)),
        plans: joined.plans.clone(),
        links: &[],
        stores: vec![store.folder().to_owned(); joined.facts.len()],
    };
    let room = Duration::from_secs(u64::from(session.config.confirm.timeout_s));
    let room = session.left().map_or(room, |left| room.min(left.saturating_sub(SPARE)));
    let attempts =
        AttemptChoice { program: false, checks: Some(&session.extract_options()), until: Some(Instant::now() + room) };
    confirm::automatically(assembled, sources, &project, attempts, session)
}

/// Returns the status of a command without denied findings. `wrong`: whether a contract has a mistake.
fn unless_lacking(report: &Report, strict: bool, wrong: bool) -> Status {
    if !report.not_analysed.is_empty() {
        // If units could not be read at all, the shim reports that in its own words.
        return Status::Unable;
    }
    let lacking = if strict { report.lacking() } else { vec![] };
    for line in &lacking {
        output::complain(&format!("SCUBA_STRICT: {line}"));
    }
    if lacking.is_empty() && !wrong { Status::Clean } else { Status::Unable }
}

/// Stores the facts of one command; returns whether all could be stored. A failure does not affect the analysis of
/// this command.
fn keep(store: &FactStore, units: &[UnitWithCode], link: Option<&Link>) -> bool {
    let mut unkept = None;
    for unit in units {
        unkept = unkept.or(store.write_unit(unit).err());
    }
    if let Some(link) = link {
        let record = LinkFacts { link: link.clone(), units: units.iter().map(|u| u.facts.key.clone()).collect() };
        unkept = unkept.or(store.write_link(&record).err());
    }
    if let Some(e) = &unkept {
        output::complain(&output::harmless(&e.to_string()));
    }
    unkept.is_none()
}

/// Reports the unread units of a command whose verdicts come later.
fn later(units: &[UnitWithCode], session: &Session, notes: &Notes) -> Status {
    let shown = |n: NotAnalysed| NotAnalysed { file: session.root.show(&n.file), ..n };
    let missing: Vec<_> = units.iter().flat_map(|u| checking::unread(&u.facts)).map(shown).collect();
    for line in output::not_analysed_in_build(&missing) {
        output::complain(&line);
    }
    notes.add("check", "not yet: scuba.toml has `[build] check`; `scuba check` decides");
    if missing.is_empty() { Status::Clean } else { Status::Unable }
}

/// Returns the facts of one of the command's units.
fn unit(unit: &TranslationUnit, request: &AnalysisRequest, present: &DiskSnapshot, session: &Session) -> UnitWithCode {
    // The recipe is taken before the sources are read, so that a change in between is noticed.
    let recipe = Recipe::of(&key_of(unit, request.link.as_ref()), &unit.directory, present);
    let mut made = if scope::excludes(&session.config.scope, unit) {
        scope::unread(unit, request.link.as_ref())
    } else if request.deferred {
        pending::record(unit)
    } else {
        extraction::extract(unit, request.link.as_ref(), present, session)
    };
    made.facts.recipe = recipe;
    made.facts.maker = Maker::parent();
    made
}
