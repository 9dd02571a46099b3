//! Whether verdicts hold where a program is run: an access that is out of bounds in a run is not safe.

use check::ProgramReport;
use ir::{Program, Side, SourceLoc};
use std::collections::BTreeSet;
use witness::{AccessFault, BadAccess, ConcreteInputs, ProgramPoint, RunBudget, enumerate};

/// Arguments of the runs.
const RUNS: [&[&str]; 6] = [&[], &["1"], &["8"], &["100"], &["3", "5"], &["0", "2", "7"]];
/// Most instructions of a run.
const STEPS: u64 = 60_000;

/// Where a user sees an access: its own place, or the innermost call outside system headers.
fn place(program: &Program, bad: &BadAccess) -> SourceLoc {
    let loc = |s: &ProgramPoint| {
        let b = &program.func(s.func).blocks[s.block.index()];
        program.loc(s.func.module, b.insts.get(s.inst as usize).map_or(b.term_loc, |i| i.loc))
    };
    std::iter::once(&bad.site)
        .chain(bad.callers.iter().rev())
        .map(loc)
        .find(|l| l.line > 0 && !l.system)
        .unwrap_or_else(|| loc(&bad.site))
}

/// Places that are not safe, and those that are safe unless something wraps.
fn said(report: &ProgramReport) -> (BTreeSet<(u32, u32)>, BTreeSet<(u32, u32)>) {
    let found = report.findings.iter().map(|f| (f.access.position.line, f.access.position.column));
    let open = report.undecided.iter().map(|u| (u.position.line, u.position.column));
    let unless_wrapped = report.notes.iter().filter_map(|n| {
        let (place, rest) = n.split_once(": `")?;
        rest.split_once("is safe if ")?;
        let mut numbers = place.rsplit(':').map(str::parse::<u32>);
        let (Some(Ok(column)), Some(Ok(line))) = (numbers.next(), numbers.next()) else { return None };
        Some((line, column))
    });
    (found.chain(open).collect(), unless_wrapped.collect())
}

/// Runs a program from `main` on few inputs.
///
/// # Panics
/// If an access that is safe is out of bounds in a run.
pub fn compare(program: &Program, report: &ProgramReport) {
    let Some(root) = program.find_func(Side::Host, "main") else { return };
    if !report.problems.is_empty() || report.notes.iter().any(|n| n.starts_with("`main` was not followed")) {
        return;
    }
    let (unsafe_places, unless_wrapped) = said(report);
    for argv in RUNS {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        let inputs = ConcreteInputs { argv, ..ConcreteInputs::default() };
        let budget = RunBudget { steps: STEPS, work: base::work::Work::seconds(2), ..RunBudget::default() };
        let run = enumerate(program, root, &inputs, &budget);
        // What comes behind is decided by what is not known.
        for bad in run.bad.iter().take(run.certain) {
            // What a claim excludes is no run of the program.
            if bad.fault == AccessFault::FalseClaim {
                break;
            }
            if !matches!(bad.fault, AccessFault::Bounds | AccessFault::Null)
                || bad.launch_site.is_none()
                || bad.object.freed
            {
                continue;
            }
            let at = place(program, bad);
            let key = (at.line, at.column);
            let holds = unsafe_places.contains(&key) || (run.wrapped && unless_wrapped.contains(&key));
            assert!(
                holds || at.line == 0,
                "safe, and out of bounds: {at} on {:?}: {bad:?}\n{:?}",
                inputs.argv,
                report.notes
            );
        }
    }
}
