//! Shared context of a check: an executed launch, the tools that decide, and the budget.
//!
//! The module lies above the data of obligations, invariants and replays, and below rules, counterexamples and the engine:
//! these are functions of a [`CheckContext`], [`RootTools`] and a [`ExecutedLaunch`], and need not know the engine that calls them.

use super::concurrency::bounds::Invariants;
use super::counterexample::replay::{Judge, ReplayAttempt};
use super::counterexample::replay_result::{ReplayResult, SoughtFault};
use super::counterexample::tried::TrialResults;
pub(crate) use super::findings::position::ArrayPosition;
use super::findings::position::place_of;
use super::obligations::decide::{Decided, Decider, DecisionAttempt};
use super::obligations::obligation::{Counterexample, Obligation};
use super::obligations::specialise::DecidedValues;
use super::obligations::verdict::AccessVerdict;
use super::options::{CheckOptions, Pace};
use super::pipeline::budgets;
use super::rules::layout::UsedParts;
use super::solver::WrapMode;
use super::summaries::LaunchSummaries;
use base::axioms::OmittedAxioms;
use base::nets;
use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::exec::events::{AccessEvent, LaunchEvent};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::state::State;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::Object;
use engine::symbolic::memory::partition::{PartId, Partition};
use engine::symbolic::memory::value::{GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use finding::{Finding, Related};
use ir::{FuncRef, Program};
use library::host::HostRoot;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// Decisions by position.
pub(crate) type PositionDecisions = BTreeMap<ArrayPosition, WorstDecision>;

/// The worst decision for a position.
#[derive(Clone, Debug)]
pub(crate) struct WorstDecision {
    pub outcome: AccessVerdict,
    /// Kernel name for display.
    pub kernel: String,
    /// Number of findings at the position.
    pub times: u32,
    /// Positions in system headers, for an undecided access.
    pub inner: Vec<Related>,
    /// Further findings of the same rule: several operations may wrap at one access, and launches may lack different checks.
    pub also: Vec<Finding>,
    /// Numbers of the launches with these findings.
    pub found_at: Vec<usize>,
}

/// An executed launch.
pub(crate) struct ExecutedLaunch {
    pub launch: LaunchEvent,
    /// Values of terms that the launch's path condition decides.
    pub decided: DecidedValues,
    /// Index among all launches of the root.
    pub number: usize,
    pub kernel: FuncRef,
    pub run: KernelRun,
    pub layout: UsedParts,
    /// Invariants of the memory through which its threads communicate.
    pub invariants: Invariants,
    /// Reason why the execution of kernel or host did not complete.
    pub partly: Option<UnknownReason>,
    /// Summaries of the root's launches, if there are any.
    pub summaries: Option<Arc<OnceLock<LaunchSummaries>>>,
}

impl ExecutedLaunch {
    pub fn part(&self, id: PartId) -> &Partition {
        &self.run.partitions[id.0 as usize]
    }

    /// Returns the outcome of an access, or undecided where the kernel or the host was not executed completely: code
    /// beyond may reach the access again, in another state. What a proof for all launches says outweighs a look
    /// that decides nothing.
    pub fn partial(&self, place: &ArrayPosition, outcome: AccessVerdict) -> AccessVerdict {
        if outcome.is_finding() {
            return outcome;
        }
        if let Some(why) = &self.partly {
            return AccessVerdict::Unknown(why.clone());
        }
        let summarised = self.summaries.as_ref().and_then(|s| s.get()).filter(|_| !outcome.is_safe());
        summarised.and_then(|s| s.outcome(self.kernel, self.number, place)).unwrap_or(outcome)
    }

    /// Whether a proof for all launches says all of an access but what a finding would add.
    pub fn is_summarised(&self, place: &ArrayPosition) -> bool {
        let summarised = self.summaries.as_ref().and_then(|s| s.get());
        summarised.is_some_and(|s| s.outcome(self.kernel, self.number, place).is_some())
    }
}

/// Tools that decide the events below one root.
pub(crate) struct RootTools<'p> {
    pub e: Executor<'p>,
    pub decider: Decider,
    pub judge: Judge<'p>,
    pub root: HostRoot,
    /// Results of runs on small inputs, computed on demand: the same for all tasks of the root.
    pub tried: Arc<OnceLock<TrialResults>>,
    /// Number of glances in a row that decided nothing of accesses whose extent nothing bounds.
    pub vain_glances: u32,
    /// Conditions by whether they are too large for a glance.
    pub large: FxHashMap<TermId, bool>,
    /// Launches of the root, also those that are decided without being executed.
    pub launches: Arc<[LaunchPlace]>,
    /// The call of the root, if callers outside of the program make it and it was followed to its end.
    pub call: Option<Rc<RootCall>>,
}

/// Call of a root by code outside of the program.
pub(crate) struct RootCall {
    pub args: Vec<Value>,
    /// State in which it is called.
    pub entry: State,
    /// Condition under which it returns normally: other calls end in an exception, or end the program.
    pub returns: TermId,
    /// Number of symbols when it returned: later ones are of kernels.
    pub symbols: usize,
}

/// Kernel of a launch, its arguments, and the path that leads to it.
#[derive(Clone, Debug)]
pub(crate) struct LaunchPlace {
    pub path: TermId,
    /// Kernel, if it is known.
    pub kernel: Option<FuncRef>,
    pub args: Vec<Value>,
}

/// Maximum number of terms of a condition that a glance reads.
const MAX_GLANCED: usize = 2000;

impl RootTools<'_> {
    /// Returns the facts without those that are large: results of the host's own computations, which every launch behind
    /// them has in its path. Fewer facts prove less, and a further look reads all.
    pub fn for_a_glance(&mut self, facts: TermId) -> TermId {
        let all = self.e.arena.conjuncts(facts);
        let few: Vec<TermId> = all.iter().copied().filter(|fact| !self.is_large(*fact)).collect();
        if few.len() == all.len() { facts } else { self.e.arena.and_all(few) }
    }

    fn is_large(&mut self, fact: TermId) -> bool {
        let arena = &self.e.arena;
        *self.large.entry(fact).or_insert_with(|| arena.cone(&[fact]).len() > MAX_GLANCED)
    }

    /// Decides an obligation.
    pub fn decide(&mut self, cx: &CheckContext<'_>, o: &Obligation) -> Decided {
        self.decider.with(cx.attempt).decide(&mut self.e.arena, o)
    }

    /// Decides an obligation with the first model found.
    pub fn decide_roughly(&mut self, cx: &CheckContext<'_>, o: &Obligation) -> Decided {
        self.decider.with(cx.attempt).decide_roughly(&mut self.e.arena, o)
    }

    /// Decides whether a condition can hold at all.
    pub fn happens(&mut self, cx: &CheckContext<'_>, cond: TermId) -> Decided {
        self.decider.with(cx.attempt).happens(&mut self.e.arena, cond)
    }

    /// Returns a model in which a condition holds because one of these operations wraps: of a condition that cannot hold
    /// without.
    pub fn happens_by_wrapping(
        &mut self,
        cx: &CheckContext<'_>,
        cond: TermId,
        operations: &[String],
    ) -> Option<Counterexample> {
        let a = &mut self.e.arena;
        // It fails wherever it happens.
        let [zero, one] = [0, 1].map(|v| a.int(v));
        let o = Obligation { facts: cond, offset: zero, bytes: one, extent: zero };
        let all = self.decider.operations(a, &o);
        let wraps: Vec<TermId> = operations.iter().filter_map(|name| all.get(name)).collect();
        let limits = &cx.attempt.limits;
        let model = wraps.iter().find_map(|w| {
            let alone = self.decider.wrapping(a, &o, *w, &wraps, limits);
            alone.or_else(|| self.decider.wrapping(a, &o, *w, &[], limits).filter(|_| wraps.len() > 1))
        })?;
        Some(Counterexample { model, mode: WrapMode::Exact, degenerate: false })
    }

    /// Decides an event by `work`, as [`Self::noting_cuts`] does; undecided if no work is left for it.
    pub fn decided_by<R: From<AccessVerdict>>(
        &mut self,
        cx: &CheckContext<'_>,
        work: impl FnOnce(&mut Self) -> R,
    ) -> (R, bool) {
        if cx.is_spent() {
            return (AccessVerdict::Unknown(UnknownReason::ProgramWork).into(), false);
        }
        self.noting_cuts(work)
    }

    /// Runs `work`, and returns whether a replay in it ended early for lack of budget: a larger one may decide more.
    pub fn noting_cuts<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> (R, bool) {
        let before = self.judge.cuts;
        let done = work(self);
        (done, self.judge.cuts > before)
    }

    /// Replays a model in which an access of a launch fails.
    pub fn replay(
        &mut self,
        cx: &CheckContext<'_>,
        run: &ExecutedLaunch,
        ev: &AccessEvent,
        c: &Counterexample,
        wanted: SoughtFault,
    ) -> ReplayResult {
        let attempt = ReplayAttempt::within(cx.attempt.until);
        self.judge.judge(&self.e.arena, (&run.launch, &run.run.thread), ev, c, wanted, attempt)
    }
}

/// Program, settings, and current budget: a small value that everything that decides receives.
#[derive(Clone, Copy)]
pub(crate) struct CheckContext<'p> {
    pub program: &'p Program,
    pub options: &'p CheckOptions,
    /// Budget of the current work.
    pub all: Allotment,
    /// Limits of each decision, and of all replays together.
    pub attempt: DecisionAttempt,
    /// Share of each budget of a whole root, in hundredths: with several roots none gets all.
    pub part: u32,
    /// Total budget, where somebody waits.
    pub total: Work,
    /// Work spent on the program so far.
    pub spent: Work,
    /// Whether axioms are omitted: then nothing is replayed, and accesses that are not safe are only counted.
    pub bare: bool,
    /// Omitted axioms.
    pub without: OmittedAxioms,
}

impl<'p> CheckContext<'p> {
    pub fn new(program: &'p Program, options: &'p CheckOptions) -> Self {
        Self {
            program,
            options,
            all: Allotment::UNLIMITED,
            attempt: DecisionAttempt::default().with_work(budgets::FIRST.percent(options.work)),
            part: 100,
            total: Work::MAX,
            spent: Work::NONE,
            bare: false,
            without: OmittedAxioms::NOTHING,
        }
    }

    /// Limits all searches and replays to this allotment.
    pub fn within(self, all: Allotment) -> Self {
        Self { all, attempt: DecisionAttempt { until: all, ..self.attempt }, ..self }
    }

    /// Limits all proof searches of what follows to this much work together.
    pub fn with_proofs(mut self, work: Work) -> Self {
        self.attempt.proofs = Allotment::of(work);
        self
    }

    /// Limits all searches and replays of what follows to this much work together.
    pub fn at_most(mut self, work: Work) -> Self {
        self.attempt.until = self.attempt.until.min(Allotment::of(work));
        self
    }

    /// Limits the work of each decision.
    pub fn with_work(mut self, work: Work) -> Self {
        self.attempt = self.attempt.with_work(work);
        self
    }

    /// Limits each decision to what a glance may take.
    pub fn at_a_glance(self) -> Self {
        let (work, steps) = budgets::GLANCE;
        let mut cx = self.with_work(self.scaled(work).min(self.attempt.limits.work));
        cx.attempt.limits.steps = steps;
        cx
    }

    /// Returns the budget of one obligation, scaled by the settings.
    pub fn scaled(&self, work: Work) -> Work {
        work.percent(self.options.work)
    }

    /// Returns the budget of a whole phase, scaled by the settings, the number of roots and the pace: at most this
    /// many hundredths of the rest.
    pub fn phase(&self, work: Work, of_left: u32) -> Allotment {
        Allotment::of(self.phase_work(work, of_left))
    }

    pub fn phase_work(&self, work: Work, of_left: u32) -> Work {
        self.scaled(work).percent(self.part).min((self.total - self.spent).percent(of_left))
    }

    /// Whether somebody waits.
    pub fn is_hurried(&self) -> bool {
        self.total < Work::MAX
    }

    /// Whether accesses that the first looks leave undecided stay so.
    pub fn looks_once(&self) -> bool {
        matches!(self.options.pace, Pace::Beside(_))
    }

    /// Whether all work must stop: the budget is spent, or a safety net was reached.
    pub fn is_spent(&self) -> bool {
        self.all.is_spent() || nets::is_late()
    }

    /// Returns the remaining work.
    pub fn work_left(&self) -> Work {
        self.all.left()
    }

    /// Returns the source position (of the innermost call outside system headers) and the array.
    pub fn place_of(&self, ev: &AccessEvent) -> ArrayPosition {
        place_of(self.program, ev)
    }
}

/// An access to one of the objects that its pointer may point to.
#[derive(Clone, Copy)]
pub(crate) struct InObject<'a> {
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub target: &'a GuardedTarget,
    /// Facts under which the access reaches the object.
    pub facts: TermId,
    /// Extent of the object under the launch's conditions, in bytes.
    pub extent: TermId,
}
