//! One program: the engine's verdict of every access against what the interpreter sees on all small inputs.

use super::program::Program;
use scuba::check::{CheckOptions, ProgramReport, SummarisedKernels, check_program};
use scuba::finding::{Verdict, Witness};
use scuba::ir::{BlockId, FuncId, FuncRef, ModuleId, Program as Linked, Side, SourceLoc};
use scuba::rules::Rule;
use scuba::witness::{
    self, AccessFault, BadAccess, ConcreteInputs, ProgramPoint, RunBudget, TargetAccess, TriedThreads, enumerate,
    replay,
};
use scuba::work::Work;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Line, from the program's first, and column.
pub type At = (u32, u32);

/// The engine's word on one place; *safe* where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    SafeIfNoWrap(String),
    Unknown(String),
    Possible,
    /// Of which rule.
    Proved(Rule, Box<Witness>),
}

/// What brute force saw at one place.
#[derive(Clone, Debug)]
pub struct Seen {
    pub inputs: Vec<i64>,
    pub random: Vec<u32>,
    pub stdin: &'static str,
    pub bad: BadAccess,
    pub wrapped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Out of bounds, but *safe* or not even mentioned.
    Safe,
    /// Out of bounds in a run in which nothing wraps, but *safe if nothing wraps*.
    SafeIfNoWrap,
    /// Not out of bounds on the inputs of the witness.
    Proved,
}

#[derive(Clone, Debug)]
pub struct Mismatch {
    pub wrong: Wrong,
    pub at: At,
    pub text: String,
}

/// The comparison for one program.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub mismatches: Vec<Mismatch>,
    /// Places, worst word each.
    pub said: BTreeMap<At, Said>,
    pub safe: u32,
    /// Bad on some input tried, and left open.
    pub missed: Vec<(At, String)>,
    /// Bad on some input tried, and safe unless something wraps.
    pub wrapped: Vec<At>,
    /// Proved, and reached only in another order of threads.
    pub raced: Vec<At>,
    /// Places that were out of bounds on some input.
    pub bad: usize,
    pub runs: usize,
    /// Runs in which nothing wraps.
    pub plain: usize,
    /// Runs that did not come to their end, by reason.
    pub cut: BTreeMap<String, u32>,
    pub notes: Vec<String>,
    /// The host code was not followed to its end: nothing is claimed of launches behind that point.
    pub gave_up: bool,
    pub engine_seconds: f64,
    /// The front end does not take the program.
    pub refused: bool,
}

/// Most instructions of one run, and of all runs of a program.
const STEPS: u64 = 200_000;
const ALL_STEPS: u64 = if cfg!(debug_assertions) { 2_000_000 } else { 6_000_000 };
/// What `rand` gives in the runs of a program that calls it, over and over: glibc's numbers, then what else the standard allows.
const STREAMS: [&[u32]; 4] = [&[], &[RAND_MAX, 0, 1, RAND_MAX - 1, 2], &[0], &[3, 7, 1, 6, 2, 5, 0, 4, 11]];
/// What the standard input of a program has that reads it: nothing, numbers, what is none, and one that begins like one.
const STDINS: [&str; 5] = ["", "7 9 8\n", "x 7\n", "64 -1 2", "8y"];
const RAND_MAX: u32 = 0x7fff_ffff;
/// Most combinations of inputs.
const RUNS: usize = 400;
/// Symbolic execution descends by calls.
const STACK: usize = 256 << 20;

pub fn check(linked: &Arc<Linked>, options: CheckOptions) -> Result<ProgramReport, String> {
    let program = Arc::clone(linked);
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || check_program(&program, &options))
        .map_err(|e| e.to_string())?
        .join()
        .map_err(|p| {
            p.downcast_ref::<String>()
                .cloned()
                .or_else(|| p.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default()
        })
}

fn words(report: &ProgramReport, above: u32) -> BTreeMap<At, Said> {
    let mut out = BTreeMap::new();
    for n in &report.notes {
        let Some((place, rest)) = n.split_once(": `") else { continue };
        let Some((_, why)) = rest.split_once("is safe if ") else { continue };
        let mut numbers = place.rsplit(':').map(str::parse::<u32>);
        if let (Some(Ok(column)), Some(Ok(line))) = (numbers.next(), numbers.next()) {
            out.insert((line.saturating_sub(above), column), Said::SafeIfNoWrap(why.to_owned()));
        }
    }
    for u in &report.undecided {
        out.insert((u.position.line.saturating_sub(above), u.position.column), Said::Unknown(u.reason.clone()));
    }
    for f in &report.findings {
        let at = (f.access.position.line.saturating_sub(above), f.access.position.column);
        let said = match (&f.verdict, &f.witness) {
            // Brute force sees objects, neither their parts nor how addresses are aligned.
            (Verdict::Proved, Some(w)) if !matches!(f.rule, Rule::IntraAllocation | Rule::Misaligned) => {
                Said::Proved(f.rule, Box::new(w.clone()))
            }
            _ => Said::Possible,
        };
        if !matches!(out.get(&at), Some(Said::Proved(..))) {
            out.insert(at, said);
        }
    }
    out
}

/// Where a user sees an access: its own place, or the innermost call outside system headers.
fn place(program: &Linked, bad: &BadAccess) -> SourceLoc {
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

fn budget() -> RunBudget {
    RunBudget { steps: STEPS, work: Work::seconds(10), ..RunBudget::default() }
}

/// `above`: lines of the file before the program.
pub fn judge(p: &Program, linked: &Arc<Linked>, above: u32) -> Outcome {
    let mut out = Outcome::default();
    let started = std::time::Instant::now();
    // A proof for all launches of a kernel must say no more than looks at each.
    let summarise = if p.seed % 2 == 1 { SummarisedKernels::All } else { SummarisedKernels::WhereCheaper };
    // What is left open for want of budget is no mistake.
    let work = std::env::var("SCUBA_ORACLE_WORK")
        .map_or(if cfg!(debug_assertions) { 10 } else { 30 }, |s| s.parse().expect("SCUBA_ORACLE_WORK=PERCENT"));
    let report = match check(linked, CheckOptions { work, summarise, ..CheckOptions::default() }) {
        Ok(r) => r,
        Err(panic) => {
            out.notes.push(format!("the engine panics: {panic}"));
            out.gave_up = true;
            return out;
        }
    };
    out.engine_seconds = started.elapsed().as_secs_f64();
    out.said = words(&report, above);
    out.safe = report.summary.safe;
    out.gave_up = report.notes.iter().any(|n| n.starts_with("`main` was not followed"));
    out.notes = report.notes;
    let root = linked.find_func(Side::Host, "main").expect("a generated program has a `main`");
    let mut seen: BTreeMap<At, Seen> = BTreeMap::new();
    let mut steps = 0;
    let streams: &[&[u32]] = if p.draws() { &STREAMS } else { &[&[]] };
    let stdins: &[&'static str] = if p.reads() { &STDINS } else { &[""] };
    let runs = p.runs(RUNS / streams.len() / stdins.len());
    let worlds: Vec<(&[u32], &'static str)> = streams.iter().flat_map(|r| stdins.iter().map(|i| (*r, *i))).collect();
    for (inputs, (random, stdin)) in
        runs.into_iter().flat_map(|inputs| worlds.iter().map(move |w| (inputs.clone(), *w)))
    {
        if steps > ALL_STEPS {
            break;
        }
        let argv = ConcreteInputs {
            argv: inputs.iter().map(i64::to_string).collect(),
            random: random.to_vec(),
            stdin: stdin.as_bytes().to_vec(),
            ..ConcreteInputs::default()
        };
        let run = enumerate(linked, root, &argv, &budget());
        steps += run.steps;
        out.runs += 1;
        out.plain += usize::from(!run.wrapped);
        if !run.completed {
            *out.cut.entry(run.why.clone()).or_default() += 1;
        }
        // What comes behind is decided by what is not known.
        for bad in run.bad.into_iter().take(run.certain) {
            if bad.launch_site.is_none() || bad.object.freed {
                continue;
            }
            let l = place(linked, &bad);
            let at = (l.line.saturating_sub(above), l.column);
            // A run in which nothing wraps says most.
            if seen.get(&at).is_none_or(|s: &Seen| s.wrapped && !run.wrapped) {
                seen.insert(
                    at,
                    Seen { inputs: inputs.clone(), random: random.to_vec(), stdin, bad, wrapped: run.wrapped },
                );
            }
        }
    }
    out.bad = seen.len();
    for (at, first) in &seen {
        let describe = || {
            format!(
                "on {:?} (random {:?}, standard input {:?}): {:?} of {} bytes at offset {} of `{}`, which has {}; grid {:?}, block {:?}, blockIdx {:?}, threadIdx {:?}",
                first.inputs,
                first.random,
                first.stdin,
                first.bad.direction,
                first.bad.bytes,
                first.bad.offset,
                first.bad.object.name,
                first.bad.object.extent,
                first.bad.grid,
                first.bad.block_dim,
                first.bad.block,
                first.bad.thread
            )
        };
        match out.said.get(at) {
            None => out.mismatches.push(Mismatch { wrong: Wrong::Safe, at: *at, text: describe() }),
            Some(Said::SafeIfNoWrap(_)) if first.wrapped => out.wrapped.push(*at),
            Some(Said::SafeIfNoWrap(_)) => {
                out.mismatches.push(Mismatch { wrong: Wrong::SafeIfNoWrap, at: *at, text: describe() });
            }
            Some(Said::Unknown(why)) => out.missed.push((*at, why.clone())),
            Some(Said::Possible | Said::Proved(..)) => {}
        }
    }
    for (at, said) in &out.said {
        let Said::Proved(rule, w) = said else { continue };
        let inputs = ConcreteInputs {
            argv: w.run.argv.clone(),
            stdin: w.run.stdin.clone().into_bytes(),
            files: w.run.files.iter().map(|f| (f.name.clone(), f.bytes.clone())).collect(),
            ..ConcreteInputs::default()
        };
        let here = |b: &BadAccess| {
            let l = place(linked, b);
            (l.line.saturating_sub(above), l.column) == *at
        };
        // Most are soon out of bounds.
        if enumerate(linked, root, &inputs, &budget()).bad.iter().any(here) {
            continue;
        }
        let run = enumerate(linked, root, &inputs, &RunBudget::default());
        if run.bad.iter().any(here) || run.why.contains("more than ") {
            continue;
        }
        // An index that nothing has set leads nowhere in particular: the interpreter notes it where that is what is sought.
        if *rule == Rule::InvalidPointer
            && reached(linked, root, &inputs, w, Some(AccessFault::UnsetIndex)).is_some_and(|b| here(&b))
        {
            continue;
        }
        if reached(linked, root, &inputs, w, None).is_some_and(|b| here(&b)) {
            out.raced.push(*at);
            continue;
        }
        out.mismatches.push(Mismatch {
            wrong: Wrong::Proved,
            at: *at,
            text: format!(
                "on {:?} and {:?} it is within bounds ({})",
                w.run.argv,
                w.run.stdin,
                if run.completed { "run to the end" } else { &run.why }
            ),
        });
    }
    out
}
/// branch on what was read out of bounds wait there. Brute force takes such a branch to write anything it could. `fault`: what must be wrong.
/// What the witness's thread does in an order of threads other than that of brute force: as the first, or while those that come to a
/// branch on what was read out of bounds wait there. Brute force takes such a branch to write anything it could.
fn reached(
    linked: &Linked,
    root: FuncRef,
    inputs: &ConcreteInputs,
    w: &Witness,
    fault: Option<AccessFault>,
) -> Option<BadAccess> {
    let sites = w.sites.as_ref()?;
    let [m, f, b, i] = sites.access;
    let site = ProgramPoint { func: FuncRef { module: ModuleId(m), func: FuncId(f) }, block: BlockId(b), inst: i };
    [TriedThreads::List(vec![(w.block, w.thread)]), TriedThreads::Block(w.block)].into_iter().find_map(|threads| {
        let target = TargetAccess {
            site,
            callers: None,
            launch_site: None,
            launch: None,
            threads,
            fault,
            direction: None,
            align: None,
            parts: None,
            contract: None,
        };
        match replay(linked, root, inputs, &target, &RunBudget::default()) {
            witness::ReplayOutcome::Reached { bad, .. } if (bad.block, bad.thread) == (w.block, w.thread) => Some(*bad),
            _ => None,
        }
    })
}
