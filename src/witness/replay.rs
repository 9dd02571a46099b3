//! The two modes of running a program: until one access is reached out of bounds, or to the end with all threads.

use super::api::{
    ConcreteInputs, ExhaustiveRun, ObjectKind, ProgramPoint, ReplayOutcome, RunBudget, TargetAccess, TriedThreads,
};
use super::code::program_cache;
use super::machine::call::ThreadStop;
use super::machine::state::Machine;
use super::machine::thread::Thread;
use super::machine::value::Val;
use super::memory::space::{Obj, split};
use super::memory::store::Fill;
use super::observe::Observer;
use super::snapshot::Snapshot;
use crate::api::{Cause, NO_LAUNCH, UndecidedReason};
use base::work::{Work, charge, cost};
use ir::initialisers::{Initialiser, Initialisers};
use ir::{BlockId, FuncRef, Op, Program, Side};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Runs a program on concrete inputs from `root` until the target is reached out of bounds.
///
/// Bad accesses before the target are skipped: reads give poison, writes are dropped. The first pass skips loops that
/// only prepare data. If the result is then undecided, a second pass runs them within the budget.
#[must_use]
pub fn replay(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    budget: &RunBudget,
) -> ReplayOutcome {
    seek(program, root, inputs, target, budget, false, (&mut PatientPasses::default(), &mut ReplayCost::default())).0
}

/// Results of earlier patient passes on the same inputs: most of a run is the same for every target.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PatientPasses {
    spent: Option<ExhaustedPass>,
}

/// A patient pass that ran out of budget.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ExhaustedPass {
    /// Steps, without those of threads that were tried for the target.
    steps: u64,
    work: Work,
    /// Launches that the pass reached.
    launches: BTreeSet<ProgramPoint>,
}

impl PatientPasses {
    /// Whether another pass with the budget `left` would, like an earlier one, run out before it reaches the target's
    /// launch. Other passes of this replay took `used`.
    fn is_vain(&self, target: &TargetAccess, left: &RunBudget, used: Work, spend: &mut ReplayCost) -> bool {
        let (Some(s), Some(launch)) = (&self.spent, target.launch_site) else { return false };
        if s.launches.contains(&launch) {
            return false;
        }
        spend.by_steps = true;
        if left.steps / 2 <= s.steps {
            return true;
        }
        let vain = left.work / 2 <= s.work;
        if vain {
            spend.by_work = true;
        } else {
            spend.least = spend.least.max(used + s.work * 2 + Work::units(2));
        }
        vain
    }

    fn note(&mut self, m: &mut Machine<'_>) {
        let steps = m.steps.saturating_sub(m.cuda.tried_steps);
        let taken =
            u128::from((m.budget.work - m.allotment.left()).get()) * u128::from(steps) / u128::from(m.steps.max(1));
        let work = Work::units(u64::try_from(taken).unwrap_or(u64::MAX));
        if self.spent.as_ref().is_none_or(|s| s.steps < steps) {
            self.spent =
                Some(ExhaustedPass { steps, work, launches: std::mem::take(&mut m.cuda.sites).into_iter().collect() });
        }
    }
}

/// Cost of a replay, and the other budgets under which its result would be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayCost {
    pub steps: u64,
    /// Whether another step budget may change the result.
    pub by_steps: bool,
    /// Whether another work budget may change the result.
    pub by_work: bool,
    /// Smallest work budget for which the result is known to be the same.
    pub least: Work,
}

impl ReplayCost {
    /// Adds the cost of a run, and returns whether its budget ran out.
    fn add(&mut self, m: &Machine<'_>, stop: &ThreadStop, budget: &RunBudget) -> bool {
        self.steps += m.steps;
        let is_spent = *stop == ThreadStop::Budget;
        if is_spent {
            let by_steps = m.steps >= budget.steps;
            self.by_steps |= by_steps;
            self.by_work |= !by_steps;
        }
        is_spent
    }
}

/// Like [`replay`], after other replays with the same inputs and no smaller budget; also returns the cost.
#[must_use]
pub fn replay_after(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    budget: &RunBudget,
    before: &mut PatientPasses,
) -> (ReplayOutcome, ReplayCost) {
    let mut spend = ReplayCost::default();
    (seek(program, root, inputs, target, budget, false, (before, &mut spend)).0, spend)
}

/// Like [`replay`]; also returns the state of the launch that reached the access, taken before its kernel began.
#[must_use]
pub fn replay_with_snapshot(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    budget: &RunBudget,
) -> (ReplayOutcome, Option<Snapshot>) {
    seek(program, root, inputs, target, budget, true, (&mut PatientPasses::default(), &mut ReplayCost::default()))
}

fn seek(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    budget: &RunBudget,
    snapshot: bool,
    (before, spend): (&mut PatientPasses, &mut ReplayCost),
) -> (ReplayOutcome, Option<Snapshot>) {
    let mut left = *budget;
    let mut target = target.clone();
    let mut hurried: Option<ReplayOutcome> = None;
    loop {
        let mut m = Machine::new(program, inputs, &left, Observer::seeking(target.clone()));
        m.seen.wants_snapshot = snapshot;
        let stop = m.run_root(root);
        let spent = spend.add(&m, &stop, &left);
        if let Some(bad) = m.seen.found.take() {
            if !m.exceptions.flying.is_empty() {
                let why = UndecidedReason::from("whether the program unwinds for an exception".to_owned());
                return (ReplayOutcome::Incomplete { why }, None);
            }
            if m.seen.path_in_doubt {
                return (ReplayOutcome::Incomplete { why: all(&m.seen.doubts) }, None);
            }
            if m.order.is_used && !reaches_reversed(program, root, inputs, &target, &left, spend) {
                let why = UndecidedReason::from("which of two objects lies first in memory".to_owned());
                return (ReplayOutcome::Incomplete { why }, None);
            }
            let assumptions = m.seen.assumptions().to_vec();
            return (ReplayOutcome::Reached { bad: Box::new(bad), assumptions }, m.seen.snapshot.take());
        }
        let outcome = m.judge(stop, &target);
        // A patient second pass that ran out of budget says less than the first pass.
        if let (true, Some(first)) = (spent, hurried) {
            before.note(&mut m);
            return (first, None);
        }
        hurried = None;
        left.steps = left.steps.saturating_sub(m.steps);
        left.work = m.allotment.left();
        if left.steps == 0 || left.work.is_none() {
            return (outcome, None);
        }
        let decided = matches!(outcome, ReplayOutcome::NotReached { .. });
        if m.seen.skipped && !decided && left.loop_steps != u64::MAX {
            if before.is_vain(&target, &left, budget.work - left.work, spend) {
                return (outcome, None);
            }
            left.loop_steps = u64::MAX;
            hurried = Some(outcome);
        } else if target.launch.is_some() {
            // The solver's model may name the right launch site but the wrong launch.
            target.launch = None;
        } else if let TriedThreads::List(list) = &target.threads
            && decided
            && !list.is_empty()
        {
            // The model may name the right block but the wrong thread.
            target.threads = TriedThreads::Block(list[0].0);
        } else {
            return (outcome, None);
        }
    }
}

/// Whether a replay also reaches its target if all objects lie in reverse order: many comparisons of addresses, such as
/// tests for overlap, have the same result in either order.
fn reaches_reversed(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    budget: &RunBudget,
    spend: &mut ReplayCost,
) -> bool {
    let mut m = Machine::new(program, inputs, budget, Observer::seeking(target.clone()));
    m.order.is_reversed = true;
    let stop = m.run_root(root);
    spend.add(&m, &stop, budget);
    m.seen.found.is_some() && !m.seen.path_in_doubt
}

/// Runs a program on concrete inputs from `root` to its end, with every thread of every launch.
#[must_use]
pub fn enumerate(program: &Program, root: FuncRef, inputs: &ConcreteInputs, budget: &RunBudget) -> ExhaustiveRun {
    let mut m = Machine::new(program, inputs, &RunBudget { loop_steps: u64::MAX, ..*budget }, Observer::exhaustive());
    m.watch = true;
    let stop = m.run_root(root);
    let mut why: Vec<String> = m.seen.doubts.iter().map(ToString::to_string).collect();
    match stop {
        ThreadStop::Ended(_) | ThreadStop::Found | ThreadStop::Thrown => {}
        ThreadStop::Unknown(text) => why.push(text.text),
        ThreadStop::Budget => why.push(m.spent().text),
    }
    let mut visited: FxHashMap<ProgramPoint, u64> = FxHashMap::default();
    for code in m.codes.values() {
        if program.module(code.func.module).side != Side::Device {
            continue;
        }
        for (pc, hits) in code.hits.iter().enumerate() {
            let (block, inst) = code.places[pc];
            if hits.get() > 0 {
                *visited.entry(ProgramPoint { func: code.func, block: BlockId(block), inst }).or_default() +=
                    hits.get();
            }
        }
    }
    ExhaustiveRun {
        certain: m.seen.certain.unwrap_or(m.seen.bad.len()),
        bad: m.seen.bad.clone(),
        astray: {
            let mut all: Vec<ProgramPoint> =
                m.seen.astray.iter().copied().filter(|s| program.module(s.func.module).side == Side::Device).collect();
            all.sort_unstable();
            all
        },
        visited,
        completed: why.is_empty(),
        why: why.join("; "),
        launches: m.cuda.ran,
        assumptions: m.seen.assumptions().to_vec(),
        steps: m.steps,
        wrapped: m.wrapped,
        output: m.output,
    }
}

/// Joins all doubts; the cause is the first one other than `Other`.
fn all(doubts: &[UndecidedReason]) -> UndecidedReason {
    let text = doubts.iter().map(|d| d.text.as_str()).collect::<Vec<_>>().join("; ");
    let cause = doubts.iter().map(|d| d.cause).find(|c| *c != Cause::Other).unwrap_or_default();
    UndecidedReason { text, cause }
}

const UNKNOWN_INITIALISER: &str = "what initialises the program's variables is not known";

impl Machine<'_> {
    /// The exhausted resource. Steps and memory have their own bounds, independent of the work budget.
    fn spent(&self) -> UndecidedReason {
        if self.steps >= self.budget.steps {
            return format!("more than {} steps", self.budget.steps).into();
        }
        if self.fills_memory() {
            return format!("more than {} MiB", self.budget.memory >> 20).into();
        }
        UndecidedReason { text: "more work than a replay may take".into(), cause: Cause::Work }
    }

    /// Verdict of a run that did not reach its target.
    fn judge(&self, stop: ThreadStop, target: &TargetAccess) -> ReplayOutcome {
        let unclear = self.seen.unclear.get(&target.site);
        let hits: u64 = self.codes.get(&target.site.func).map_or(0, |c| {
            c.places
                .iter()
                .zip(&c.hits)
                .filter(|(p, _)| **p == (target.site.block.0, target.site.inst))
                .map(|(_, h)| h.get())
                .sum()
        });
        if let Some(why) = unclear {
            let why = why.clone().said(|why| format!("{}: {why}", self.line(target.site)));
            let of_address = target.align.is_none() && target.parts.is_none();
            return if of_address && self.seen.astray.contains(&target.site) {
                ReplayOutcome::Astray { why, assumptions: self.seen.assumptions().to_vec() }
            } else {
                ReplayOutcome::Incomplete { why }
            };
        }
        if !self.seen.doubts.is_empty() {
            return ReplayOutcome::Incomplete { why: all(&self.seen.doubts) };
        }
        let after = |why: &str| format!("{why} (after {} launches)", self.cuda.ran);
        match stop {
            ThreadStop::Unknown(why) => ReplayOutcome::Incomplete { why: why.said(after) },
            ThreadStop::Budget => ReplayOutcome::Incomplete { why: self.spent().said(after) },
            ThreadStop::Ended(_) | ThreadStop::Found | ThreadStop::Thrown if hits > 0 => {
                ReplayOutcome::NotReached { why: format!("the access is executed {hits} times, always within bounds") }
            }
            ThreadStop::Ended(why) if self.cuda.ran == 0 => {
                ReplayOutcome::NotReached { why: format!("{NO_LAUNCH}{why}") }
            }
            ThreadStop::Ended(why) => {
                ReplayOutcome::NotReached { why: format!("the access is not executed before the end ({why})") }
            }
            ThreadStop::Found | ThreadStop::Thrown => {
                ReplayOutcome::NotReached { why: "the access is not executed".to_owned() }
            }
        }
    }

    /// Runs from a root to the end of the program.
    fn run_root(&mut self, root: FuncRef) -> ThreadStop {
        charge(cost::RUN);
        self.effects = program_cache::take_effects(self.program);
        let program = self.program;
        self.effects.launches.get_or_insert_with(|| {
            program.functions().any(|(_, m, f)| {
                m.side == Side::Host && ["cudaLaunchKernel", "cuLaunch"].iter().any(|p| f.name.starts_with(p))
            })
        });
        let ended = self.run_host(root);
        self.charge_steps();
        program_cache::keep_effects(self.program, std::mem::take(&mut self.effects));
        match ended {
            Ok(()) => ThreadStop::Ended("the program returns".to_owned()),
            Err(ThreadStop::Thrown) => ThreadStop::Ended(self.uncaught()),
            Err(stop) => stop,
        }
    }

    /// Text about the exception that ends the program.
    fn uncaught(&self) -> String {
        match self.exceptions.flying.last().and_then(|thrown| thrown.at) {
            Some(at) => format!("the exception thrown at {} is not caught", self.line(at)),
            None => "an exception is not caught".to_owned(),
        }
    }

    fn run_host(&mut self, root: FuncRef) -> Result<(), ThreadStop> {
        let mut th = Thread::host();
        let main = self.program.func(root).name == "main";
        self.before_root = true;
        if main {
            let unknown = || ThreadStop::Unknown(UNKNOWN_INITIALISER.into());
            let constructors = self.program.constructors().ok_or_else(unknown)?;
            for ctor in constructors {
                self.call(&mut th, ctor, &[])?;
            }
        }
        let args = if main { self.main_arguments(&mut th)? } else { self.root_arguments(root)? };
        self.keeps_to_contracts(&th, root, &args)?;
        if self.program.func(root).kernel {
            self.before_root = false;
            return self.launch_alone(root, args);
        }
        if !main {
            self.initialise_for(root)?;
            self.convert(&mut th, root, &args)?;
        }
        self.before_root = false;
        self.call(&mut th, root, &args).map(|_| ())
    }

    /// Runs the initialisers of library variables that a root may use. If an initialiser is not followed completely,
    /// its variables become unknown.
    fn initialise_for(&mut self, root: FuncRef) -> Result<(), ThreadStop> {
        let initialisers = program_cache::initialisers(self.program, root);
        if initialisers.unknown {
            return Err(ThreadStop::Unknown(UNKNOWN_INITIALISER.into()));
        }
        for (i, Initialiser { function, variables, .. }) in initialisers.in_order.iter().enumerate() {
            self.settle(&initialisers, i);
            let before = self.seen.certainty();
            let mut th = Thread::host();
            let ended = self.call(&mut th, *function, &[]);
            let open = self.seen.retract(&before);
            let why = match ended {
                Ok(_) if open.is_empty() => continue,
                Ok(_) => all(&open),
                Err(ThreadStop::Unknown(why)) => why,
                Err(ends) => return Err(ends),
            };
            let names: Vec<&str> = variables.iter().map(|g| self.program.global(*g).source_name.as_str()).collect();
            let what = format!("what initialises `{}`: {}", names.join("`, `"), why.text);
            let reason = self.reason(why.cause, &what);
            let addresses: Vec<Val> =
                variables.iter().map(|g| Val::new(self.global_address(g.module, g.global))).collect();
            self.havoc_reachable(&mut th, &addresses, reason);
        }
        self.settle(&initialisers, initialisers.in_order.len());
        Ok(())
    }

    /// Protects the variables that initialisers alone write, and that those from this one on do not write, if their guards
    /// are set: code that is not followed leaves them as they are.
    fn settle(&mut self, initialisers: &Initialisers, next: usize) {
        let rest = &initialisers.in_order[next..];
        for (variable, guards) in &initialisers.settled {
            let all = || guards.iter().chain([variable]);
            if all().any(|g| rest.iter().any(|i| i.variables.contains(g))) {
                continue;
            }
            let mut objects = vec![];
            for g in all() {
                objects.push(split(self.global_address(g.module, g.global)).0);
            }
            let is_set = |id| self.mem.global(id).is_some_and(|o| o.store.read(0, 1).known().is_some_and(|v| v != 0));
            if objects[..guards.len()].iter().all(|id| is_set(*id)) {
                for id in objects {
                    if let Some(o) = self.mem.global_mut(id) {
                        o.constant = true;
                    }
                }
            }
        }
    }

    fn host_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<u64, ThreadStop> {
        let mut obj = Obj::new(ObjectKind::HostGlobal, name.into(), bytes.len() as u64, Fill::Byte(0));
        obj.store.write_bytes(0, bytes);
        self.mem
            .add(obj)
            .map(super::memory::space::WindowId::address)
            .ok_or_else(|| ThreadStop::Unknown("more objects than the interpreter can hold".into()))
    }

    fn main_arguments(&mut self, _: &mut Thread) -> Result<Vec<Val>, ThreadStop> {
        let words: Vec<String> =
            std::iter::once("program".to_owned()).chain(self.inputs.argv.iter().cloned()).collect();
        let mut array = Vec::new();
        for (i, w) in words.iter().enumerate() {
            let a = self.host_bytes(&format!("argv[{i}]"), &[w.as_bytes(), &[0]].concat())?;
            array.extend(a.to_le_bytes());
        }
        array.extend([0; 8]);
        let argv = self.host_bytes("argv", &array)?;
        let env = self.host_bytes("envp", &[0; 8])?;
        Ok(vec![Val::new(words.len() as u64), Val::new(argv), Val::new(env)])
    }
}

/// Instructions of a function that access memory, as possible targets.
#[must_use]
pub fn access_sites(program: &Program, func: FuncRef) -> Vec<ProgramPoint> {
    let mut out = Vec::new();
    for (bi, b) in (0u32..).zip(&program.func(func).blocks) {
        for (ii, inst) in (0u32..).zip(&b.insts) {
            if matches!(
                inst.op,
                Op::Load { .. }
                    | Op::Store { .. }
                    | Op::AtomicRmw { .. }
                    | Op::CmpXchg { .. }
                    | Op::MemCopy { .. }
                    | Op::MemSet { .. }
            ) {
                out.push(ProgramPoint { func, block: BlockId(bi), inst: ii });
            }
        }
    }
    out
}
