//! Checks the programs that units make up.

use super::architectures;
use super::lost;
use crate::cache::reports;
use crate::cache::shared_code::{SharedCode, UnitCode};
use crate::second_reading;
use crate::session::Session;
use crate::worker::guarded;
use crate::worker::guarded::WorkerFailure;
use crate::worker::{memory, process};
use base::inside;
use base::nets::Net;
use check::{self, CheckOptions, Pace, ProgramReport};
use contracts::Contract;
use contracts::assume::StatedCondition;
use facts::join::ProgramPlan;
use facts::{SecondCode, UnitFacts};
use files::ContentStore;
use finding::{NotAnalysed, ReasonCode};
use ir::{LocId, Module, Side, SourceCondition};
use nvcc::history;
use nvcc::unit::Language;
use report::assemble::{ProgramFindings, RunFindings, UnitOutcome};
use report::kept::StatedContract;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Maximum number of programs that one command of a build checks: a library's unit may belong to many.
const MAX_AT_ONCE: usize = 4;

/// Results of the checks of some programs.
#[derive(Debug, Default)]
pub struct CheckResults {
    pub found: RunFindings,
    /// Names of the front ends that read the sources.
    pub frontend: String,
    /// Names of all programs, also of those in other shards.
    pub plans: Vec<String>,
    /// Number of modules that were checked: one for each side of a unit.
    pub modules: usize,
    /// Notes for `-v`, one line each.
    pub notes: Vec<String>,
    /// Mistakes in the user's own settings, one line each.
    pub problems: Vec<String>,
    /// Conditions and contracts in settings that name no function of these programs, one line each.
    pub unmatched: Vec<String>,
    /// Contracts that the sources state, each once.
    pub contracts: Vec<StatedContract>,
    /// Mistakes in contracts.
    pub faults: Vec<check::ContractFault>,
    /// Lines for `--dump`, `--explain` and `--timings`.
    pub inside: Vec<String>,
    /// Programs whose check the build's budget cut off or put off, one line each.
    pub cut: Vec<String>,
}

/// Checks each program. `modules` gives a unit's code by its position; `started` gets each program's name.
///
/// A program whose check fails, or whose code is missing, counts as not analysed.
pub fn check(
    plans: &[ProgramPlan],
    units: &[UnitFacts],
    modules: impl Fn(usize) -> anyhow::Result<UnitCode>,
    session: &Session,
    mut started: impl FnMut(&str),
) -> CheckResults {
    let mut checked = CheckResults::default();
    let mut files = BTreeSet::new();
    let mut unnamed: Vec<&StatedCondition> = session.config.assume.iter().collect();
    let mut unmatched: Vec<&Contract> = session.config.contracts.iter().collect();
    let verdicts = session.store();
    let shard = session.shard();
    checked.plans = plans.iter().map(|p| p.name.clone()).collect();
    let own = || plans.iter().enumerate().filter(|(number, _)| shard.is_none_or(|s| s.has(*number)));
    let mut shared = SharedCode::new(own().map(|(_, p)| p.units.as_slice()), &session.root);
    for (number, plan) in own() {
        if session.is_hurried() && number >= MAX_AT_ONCE {
            checked.cut.push(format!("{}: not checked yet: run `scuba check`", plan.name));
            continue;
        }
        started(&plan.name);
        let source =
            plan.units.first().map_or_else(|| plan.name.clone(), |&i| units[i].unit.source.display().to_string());
        let ProgramCode { mut code, mut new, second, others, complete } =
            read(plan, units, &source, (&mut shared, &modules), &mut checked, session);
        // Independent of the order in which units were given.
        code.sort_by(|a, b| order(a).cmp(&order(b)));
        new.sort_by(|a: &Arc<Module>, b| order(a).cmp(&order(b)));
        checked.modules += code.len();
        unnamed.retain(|c| !new.iter().flat_map(|m| &m.functions).any(|f| f.answers_to(&c.function)));
        let is_there = |c: &Contract| new.iter().flat_map(|m| &m.functions).any(|f| c.is_of(&f.name, &f.display));
        unmatched.retain(|c| !is_there(c));
        files.extend(new.iter().flat_map(|m| &m.files).filter(|f| !f.system).map(|f| f.path.clone()));
        take_contracts(&mut checked, &new, session);
        drop(new);
        let options = options_for(plan, &code, session);
        let memory = session.config.limits.memory;
        let anew = Cell::new(false);
        let check = |code: Vec<Arc<Module>>| {
            anew.set(true);
            match session.is_hurried() {
                true => check_here(code, &options, memory, verdicts.clone(), &source),
                false => process::check_program(&code, &options, memory, verdicts.as_ref()),
            }
        };
        // Units whose code could not be read are not in the program.
        let whole = (if complete { verdicts.as_ref() } else { None }, &shared);
        // The code that a second reading is compared with.
        let read = if frontend_of(&second).is_some() { code.clone() } else { vec![] };
        let place = (&session.root, session.is_settled());
        let mut outcome = reports::report(code, &options, memory, place, whole, check);
        session.tally.checks(!anew.get());
        for (arch, mut code) in others {
            code.sort_by(|a, b| order(a).cmp(&order(b)));
            outcome = outcome.and_then(|mut report| {
                let other = reports::report(code, &options, memory, place, whole, check)?;
                architectures::join(&mut report, other, &arch);
                Ok(report)
            });
        }
        match outcome {
            Ok(mut report) => {
                let members: Vec<&UnitFacts> = plan.units.iter().map(|&i| &units[i]).collect();
                lost::account(&mut report, &members);
                beside(&mut checked, plan, &report, (&read, second), session);
                take(&mut checked, (number, plan), (&source, units), report, session);
            }
            Err(fault) => take_fault(&mut checked, plan, units, &fault),
        }
        shared.done(&plan.units);
    }
    checked.unmatched = unmatched_lines(&unnamed, &unmatched);
    // A function that is nowhere in a shard may be in another one.
    if shard.is_none() {
        checked.problems.extend(checked.unmatched.iter().cloned());
    }
    checked.frontend = checked.found.frontend();
    checked.found.files = files.into_iter().collect();
    checked.found.seconds = session.elapsed().as_secs_f64();
    checked
}

/// Code of one program.
struct ProgramCode {
    code: Vec<Arc<Module>>,
    /// Part of `code`: units that no earlier program had.
    new: Vec<Arc<Module>>,
    second: Vec<Option<SecondCode>>,
    /// Programs of further architectures.
    others: Vec<(String, Vec<Arc<Module>>)>,
    /// Whether the code of all units could be read.
    complete: bool,
}

/// Reads the code of a program, and takes what its units say of themselves.
fn read(
    plan: &ProgramPlan,
    units: &[UnitFacts],
    source: &str,
    (shared, modules): (&mut SharedCode<'_>, &impl Fn(usize) -> anyhow::Result<UnitCode>),
    checked: &mut CheckResults,
    session: &Session,
) -> ProgramCode {
    // Facts alone may exceed the memory limit.
    let _limit = memory::limit(session.config.limits.memory, &format!("{source}:"));
    let (mut code, mut new, mut second, mut read) = (vec![], vec![], vec![], vec![]);
    let mut complete = true;
    for &i in plan.units.iter().filter(|&&i| units[i].unseen.is_none()) {
        match shared.unit(i, || modules(i)) {
            Ok((all, other)) => {
                let m = architectures::lowest(&all);
                if !checked.found.units.contains_key(&i) {
                    new.extend(m.iter().cloned());
                }
                read.push(all);
                // A host unit is read by clang only and is the same in both readings.
                let same = || SecondCode { modules: m.clone(), frontend: String::new() };
                second.push(other.or_else(|| (units[i].unit.language != Language::Cuda).then(same)));
                code.extend(m);
            }
            Err(e) => {
                complete = false;
                checked.found.not_analysed.push(not_analysed(&units[i], "both", e.to_string()));
            }
        }
        take_unit(checked, i, &units[i]);
    }
    ProgramCode { others: architectures::others(&read), code, new, second, complete }
}

/// Returns the options for a program's check. If its link comes next, the check has the link's budget, and the link takes
/// the report from the cache.
fn options_for(plan: &ProgramPlan, code: &[Arc<Module>], session: &Session) -> CheckOptions {
    let options = session.check_options();
    let pace = if options.pace == Pace::Compile && plan.linked_next { Pace::Link } else { options.pace };
    let units = code.iter().filter(|m| m.side == Side::Host).count();
    CheckOptions { pace: pace.of_units(units), ..options }
}

/// Returns a line for each condition and contract that names no function of these programs.
fn unmatched_lines(unnamed: &[&StatedCondition], unmatched: &[&Contract]) -> Vec<String> {
    let conditions = unnamed.iter().map(|c| {
        format!("{}: `{}` is not assumed: no code here defines or calls a function `{}`", c.origin, c.text, c.function)
    });
    let contracts = unmatched
        .iter()
        .flat_map(|c| &c.requires)
        .map(|r| format!("{}: contract `{}` matches no function that is defined or called here", r.origin, r.text));
    conditions.chain(contracts).collect()
}

/// Returns the front end of the second reading, if there is one.
fn frontend_of(second: &[Option<SecondCode>]) -> Option<String> {
    second.iter().flatten().map(|s| s.frontend.clone()).find(|f| !f.is_empty())
}

/// Compares another front end's reading of a program with the program's report, if that reading covers all units.
fn beside(
    checked: &mut CheckResults,
    plan: &ProgramPlan,
    report: &ProgramReport,
    (read, second): (&[Arc<Module>], Vec<Option<SecondCode>>),
    session: &Session,
) {
    let there = second.iter().flatten().count();
    let Some(frontend) = frontend_of(&second) else { return };
    if there < second.len() {
        let note = format!("{}: no second reading: {there} of {} units have one", plan.name, second.len());
        return checked.notes.push(note);
    }
    let mut modules: Vec<Arc<Module>> = second.into_iter().flatten().flat_map(|s| s.modules).collect();
    modules.sort_by(|a, b| order(a).cmp(&order(b)));
    let memory = session.config.limits.memory;
    let verdicts = session.store();
    let check = |code: Vec<Arc<Module>>, options: &CheckOptions| match session.is_hurried() {
        true => check_here(code, options, memory, verdicts.clone(), &plan.name),
        false => process::check_program(&code, options, memory, verdicts.as_ref()),
    };
    match second_reading::compare(report, read, modules, frontend, &session.check_options(), check) {
        Ok((reading, launches)) => {
            let lines = reading.lines().into_iter().chain(launches);
            checked.notes.extend(lines.map(|line| format!("{}: {line}", plan.name)));
            checked.found.second.push(reading);
        }
        Err(e) => checked.notes.push(format!("{}: no second reading: {e}", plan.name)),
    }
}

/// Takes the contracts that sources state; those that cannot be parsed are reported with the check.
fn take_contracts(checked: &mut CheckResults, code: &[Arc<Module>], session: &Session) {
    for m in code {
        for f in m.functions.iter().filter(|f| !f.requires.is_empty()) {
            let place = |loc: LocId| {
                let at = m.locs.get(loc.index()).filter(|_| loc.0 != 0)?;
                Some(format!("{}:{}", session.root.show(&m.files.get(at.file.index())?.path), at.line))
            };
            let text = |c: &SourceCondition| contracts::parse(&c.text).ok().map(|condition| condition.to_string());
            let stated = StatedContract {
                function: f.display.clone(),
                requires: f.requires.iter().filter_map(text).collect(),
                origin: f.requires.first().and_then(|c| place(c.loc)).unwrap_or_default(),
            };
            // Each side, and each unit with an inline function, has its copy.
            if !checked.contracts.iter().any(|known| known.function == stated.function) {
                checked.contracts.push(stated);
            }
        }
    }
}

/// Takes the notes and unread sides of a unit, whatever programs it is in.
fn take_unit(checked: &mut CheckResults, number: usize, unit: &UnitFacts) {
    let Entry::Vacant(new) = checked.found.units.entry(number) else { return };
    new.insert(UnitOutcome {
        not_analysed: unread(unit),
        built_without: unit.built_without.then(|| unit.source().to_string_lossy().into_owned()),
        producers: unit.producers.clone(),
    });
    checked.notes.extend(unit.notes.iter().map(|n| format!("{}: {n}", unit.unit.source.display())));
}

/// Notes a failed check of one program.
fn take_fault(checked: &mut CheckResults, plan: &ProgramPlan, units: &[UnitFacts], fault: &WorkerFailure) {
    // A check that a safety net ended as a whole may end differently in another run.
    let net = match fault {
        WorkerFailure::TooLong(_) => Some(Net::Time),
        WorkerFailure::Memory(_) | WorkerFailure::NoThread(_) => Some(Net::Memory),
        WorkerFailure::Panicked(_) | WorkerFailure::Died(_) => None,
    };
    if let Some(setting) = net.map(|n| n.setting().to_owned()).filter(|s| !checked.found.limits_reached.contains(s)) {
        checked.found.limits_reached.push(setting);
    }
    if let Some(&first) = plan.units.first() {
        checked.found.not_analysed.push(not_analysed(&units[first], "both", fault.to_string()));
    }
}

/// Takes the report of one program.
fn take(
    checked: &mut CheckResults,
    (number, plan): (usize, &ProgramPlan),
    (source, units): (&str, &[UnitFacts]),
    report: ProgramReport,
    session: &Session,
) {
    if let Some(&first) = plan.units.first() {
        let lost = |reason: &String| not_analysed(&units[first], "both", reason.clone());
        checked.found.not_analysed.extend(report.internal.iter().map(lost));
    }
    checked.cut.extend(cut(plan, source, &report, session));
    for problem in report.problems {
        if !checked.problems.contains(&problem) {
            checked.problems.push(problem);
        }
    }
    for fault in report.faults {
        if !checked.faults.contains(&fault) {
            checked.faults.push(fault);
        }
    }
    for net in &report.nets {
        if !checked.found.limits_reached.contains(&net.setting().to_owned()) {
            checked.found.limits_reached.push(net.setting().to_owned());
        }
    }
    checked.inside.extend(report.seen.lines);
    if session.inside().timings {
        checked.inside.push(format!("timings of {}:", plan.name));
        checked.inside.extend(inside::table(&report.seen.taken));
    }
    checked.notes.extend(report.notes.into_iter().map(|n| format!("{}: {n}", plan.name)));
    checked.found.programs.push(ProgramFindings {
        number,
        name: plan.name.clone(),
        findings: report.findings,
        undecided: report.undecided,
        places: report.places.into_iter().map(check::DecidedAccess::counted).collect(),
        kernels: report.kernels,
        summary: report.summary,
    });
}

/// Sort key of modules before they are linked, so that positions in the program do not depend on the order of its
/// units.
#[must_use]
pub fn order(m: &Module) -> (&str, Side) {
    (&m.source, m.side)
}

/// Checks in this process, which is already a shim's worker and has no time to start another.
fn check_here(
    code: Vec<Arc<Module>>,
    options: &CheckOptions,
    memory: u64,
    verdicts: Option<ContentStore>,
    source: &str,
) -> Result<ProgramReport, WorkerFailure> {
    let _limit = memory::limit(memory, &format!("{source}:"));
    guarded::check_program(code, options, reports::answers(verdicts))
}

/// Returns a line if the build's budget ended the check of a program with accesses left undecided. A program that may
/// get further units has none: it is checked again with them.
fn cut(plan: &ProgramPlan, source: &str, report: &ProgramReport, session: &Session) -> Option<String> {
    let cut = report.undecided.iter().filter(|u| u.code == ReasonCode::Work).count();
    let all = report.summary.accesses;
    (session.is_hurried() && cut > 0 && !plan.tentative).then(|| match history::build_of_this_process() {
        Some(_) => format!("{source}: {cut} of {all} accesses undecided so far: the end of the build continues"),
        None => format!(
            "{source}: {cut} of {all} accesses undecided within the build's budget: run `scuba check` to finish"
        ),
    })
}

/// Returns the sides of a unit that could not be read.
#[must_use]
pub fn unread(unit: &UnitFacts) -> Vec<NotAnalysed> {
    unit.not_analysed.iter().map(|m| not_analysed(unit, &m.side, m.reason.clone())).collect()
}

fn not_analysed(unit: &UnitFacts, side: &str, reason: String) -> NotAnalysed {
    NotAnalysed { file: unit.source().to_string_lossy().into_owned(), side: side.to_owned(), reason }
}
