//! Execution of a root and the kernels that it launches, and preparation of the tools that decide.
//!
//! In: a root. Out: its launches, each with its kernel's accesses, and bounds on values that its threads exchange
//! through memory.

use super::Engine;
use super::budgets;
use super::inner_launches::InnerLaunches;
use crate::concurrency::across_launches::LaunchInvariants;
use crate::concurrency::bounds::Invariants;
use crate::context::{CheckContext, ExecutedLaunch, LaunchPlace, PositionDecisions, RootCall, RootTools};
use crate::counterexample::degenerate::Sizes;
use crate::counterexample::replay::Judge;
use crate::counterexample::tensor_trials::RANKS_TRIED;
use crate::counterexample::tried::TrialResults;
use crate::findings::state;
use crate::obligations::cone;
use crate::obligations::decide::Decider;
use crate::obligations::specialise::{self, DecidedValues};
use crate::rules::layout::UsedParts;
use base::inside::{self, CheckPhase, Dump};
use base::reasons::UnknownReason;
use base::work::done;
use engine::symbolic::exec::events::LaunchEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::limits::budget::{self, Allowance, Limit};
use engine::symbolic::limits::cost::{HostPart, PartTreatment};
use engine::symbolic::terms::term::TermId;
use ir::FuncRef;
use library::host::HostRoot;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// Most iterations that check the assumed bounds on memory between launches.
const SUPPOSED: u32 = 8;

/// Least number of launches at each place of a loop for which its invariant takes the place of its iterations.
const MANY: usize = 4;

/// Most steps of one execution of a kernel.
const STEPS: u64 = 2_000_000;
/// Most steps of another execution that iterates no loop, if the available work permits it.
const MORE_STEPS: u64 = 12_000_000;

/// Executes a kernel. If that takes too many steps, executes it again without iterating loops one by one: the effects
/// of loop bodies are then known less exactly.
pub(crate) fn run_within_steps(
    e: &mut Executor<'_>,
    kernel: FuncRef,
    launch: &LaunchEvent,
    facts: &[TermId],
) -> KernelRun {
    let given = Allowance { steps: STEPS, ..Allowance::default() };
    let run = e.run_kernel(kernel, launch, facts.to_vec(), given);
    if run.limit != Some(Limit::Steps) {
        return run;
    }
    e.run_kernel(kernel, launch, facts.to_vec(), Allowance { steps: MORE_STEPS, iterations: 1 })
}

/// Record of an engine before it executes the launches of a root.
struct RootMark {
    notes: usize,
    launches: u32,
    places: PositionDecisions,
    partly: BTreeMap<FuncRef, UnknownReason>,
    own_alone: FxHashSet<Site>,
}

/// Finds bounds on the values that threads exchange in each launch, and those that persist from one launch to others.
fn what_they_exchange(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, runs: &mut [ExecutedLaunch]) {
    let mut history = LaunchInvariants::of(&mut tools.e, runs);
    for iteration in 0.. {
        for run in runs.iter_mut() {
            run.invariants =
                if cx.all.is_spent() { Invariants::default() } else { invariants(cx, tools, run, &history) };
        }
        if history.is_empty() {
            return;
        }
        if cx.all.is_spent() {
            return runs.iter_mut().for_each(|r| r.invariants = Invariants::default());
        }
        if !history.give_up(cx, tools, runs) {
            return;
        }
        if iteration >= SUPPOSED {
            history.clear();
        }
    }
}

/// An executed root with the kernels that it launches.
pub(crate) struct PreparedRoot<'p> {
    pub executor: Executor<'p>,
    pub gave_up: Option<UnknownReason>,
    pub runs: Vec<ExecutedLaunch>,
    /// Launches of the root, also those that are not executed.
    pub launches: Arc<[LaunchPlace]>,
    pub call: Option<Rc<RootCall>>,
}

fn invariants(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    history: &LaunchInvariants,
) -> Invariants {
    let decided = &run.decided;
    let before = history.at(&mut tools.e, run, decided);
    Invariants::of(
        cx,
        tools,
        &run.launch,
        &run.run,
        &|e, o| {
            let extent = e.object(o).extent?;
            Some(decided.term(&mut e.arena, extent))
        },
        before,
    )
}

impl<'p> Engine<'p> {
    /// Executes a root and the kernels that it launches.
    pub(crate) fn prepare(&mut self, root: &HostRoot) -> PreparedRoot<'p> {
        // What one root needs is no matter of another, whichever is executed first.
        self.by_invariant.clear();
        inside::timed(CheckPhase::Execute, || self.execute(root))
    }

    fn execute(&mut self, root: &HostRoot) -> PreparedRoot<'p> {
        let before = done();
        self.cx.all = self.cx.phase(budgets::EXECUTE, 80);
        let (mut executor, mut call) = self.follow(root);
        executor.apply_invariants();
        if self.can_never_hold(root.func, &mut executor) || self.leaves_no_launch(root, &mut executor) {
            (executor, call) = self.follow(root);
        }
        if self.contradicts(&mut executor) {
            (executor, call) = self.follow(root);
            executor.apply_invariants();
        }
        self.behind_models.extend(&executor.runtime.behind_models);
        self.called_by_models.extend(&executor.runtime.called_by_models);
        self.followed.extend(executor.runtime.followed.iter().chain([&root.func]));
        self.given_away.extend(&executor.runtime.given_away);
        let gave_up = executor.limits.take_reason();
        executor.limits.admit_kernels();
        let launches = std::mem::take(&mut executor.events.launches);
        if let Some(known) = self.summaries.clone().filter(|known| known.get().is_none()) {
            let found = self.summarise(&mut executor, root, &launches);
            let _ = known.set(found);
        }
        let found = self.mark();
        let runs = self.run_launches(&mut executor, root, &launches, gave_up.as_ref());
        if let Some(part) = self.loop_of_many_launches(&executor, &runs) {
            self.take_back(found);
            self.by_invariant.insert(part, PartTreatment::Rounds);
            self.say_left_out(&[part], &self.by_invariant.clone());
            self.summaries = self.summaries.take().map(|_| Arc::default());
            self.spend_since(before);
            drop((executor, launches, runs));
            budget::give_back();
            return self.execute(root);
        }
        // Kernels may have reached objects whose invariants contradict known facts about others.
        if executor.has_invariants() && !self.vain.contains(&root.func) && self.can_never_hold(root.func, &mut executor)
        {
            self.summaries = self.summaries.take().map(|_| Arc::default());
            return self.execute(root);
        }
        self.spend_since(before);
        let place = |l: &LaunchEvent| LaunchPlace {
            path: l.path,
            kernel: l.kernel.as_ref().ok().copied(),
            args: l.args.clone(),
        };
        let launches = launches.iter().map(place).collect();
        PreparedRoot { executor, gave_up, runs, launches, call }
    }

    fn mark(&self) -> RootMark {
        RootMark {
            notes: self.report.notes.len(),
            launches: self.launches,
            places: self.places.clone(),
            partly: self.partly.clone(),
            own_alone: self.own_alone.clone(),
        }
    }

    /// Forgets the launches that were executed since a mark.
    fn take_back(&mut self, to: RootMark) {
        self.report.notes.truncate(to.notes);
        (self.launches, self.places, self.partly, self.own_alone) = (to.launches, to.places, to.partly, to.own_alone);
    }

    /// Returns the host loop in which most launches were made, if the terms of some launch did not fit in memory: one
    /// launch under the loop's invariant takes the place of those of its iterations.
    fn loop_of_many_launches(&self, e: &Executor<'_>, runs: &[ExecutedLaunch]) -> Option<HostPart> {
        if !runs.iter().any(|r| r.run.limit == Some(Limit::Memory)) || self.cx.all.is_spent() {
            return None;
        }
        let mut launches: BTreeMap<HostPart, (usize, FxHashSet<Site>)> = BTreeMap::new();
        for run in runs {
            for part in &run.launch.loops {
                let (number, sites) = launches.entry(*part).or_default();
                *number += 1;
                sites.insert(run.launch.site);
            }
        }
        launches
            .into_iter()
            .filter(|(part, (number, sites))| {
                *number >= sites.len() * MANY && e.limits.effort().spared(*part).is_none()
            })
            .max_by_key(|(part, (number, _))| (*number, std::cmp::Reverse(*part)))
            .map(|(part, _)| part)
    }

    /// Returns the tools that decide, and the launches with bounds on the values that their threads exchange.
    pub(super) fn with_tools(
        &self,
        root: &HostRoot,
        prepared: PreparedRoot<'p>,
    ) -> (Vec<ExecutedLaunch>, RootTools<'p>) {
        let PreparedRoot { executor: mut e, mut runs, launches, call, .. } = prepared;
        if root.entry {
            e.name_numbers_of_tensors(RANKS_TRIED);
        }
        let sizes = Sizes::of(&e, runs.iter().map(|r| (&r.launch, &r.run)));
        let mut tools = self.tools(e, root, sizes, Arc::default());
        (tools.launches, tools.call) = (launches, call);
        let cx = self.cx.within(self.cx.phase(budgets::EXCHANGE, 20));
        inside::timed(CheckPhase::Exchange, || what_they_exchange(&cx, &mut tools, &mut runs));
        (runs, tools)
    }

    /// Returns tools without any decision yet.
    pub(crate) fn tools(
        &self,
        e: Executor<'p>,
        root: &HostRoot,
        sizes: Sizes,
        tried: Arc<OnceLock<TrialResults>>,
    ) -> RootTools<'p> {
        let mut decider = Decider::default();
        (decider.sizes, decider.handy) = (sizes, self.cx.options.handy);
        let judge = Judge::new(self.cx.program, root.clone(), &e, self.cx.options);
        RootTools {
            e,
            decider,
            judge,
            root: root.clone(),
            tried,
            vain_glances: 0,
            large: Default::default(),
            launches: Arc::default(),
            call: None,
        }
    }

    /// Executes the kernels of launches, but for those that summaries decide.
    fn run_launches(
        &mut self,
        e: &mut Executor<'p>,
        root: &HostRoot,
        launches: &[LaunchEvent],
        host_gave_up: Option<&UnknownReason>,
    ) -> Vec<ExecutedLaunch> {
        let summaries = self.summaries.clone();
        let skips = |i: usize| summaries.as_ref().and_then(|s| s.get()).is_some_and(|s| s.skips(i));
        let all = |skipped: bool| (0..launches.len()).filter(move |i| skips(*i) == skipped);
        let mut runs: Vec<ExecutedLaunch> = vec![];
        let mut inner = InnerLaunches { root, first: launches.len(), found: vec![] };
        for i in all(false) {
            if let Some(run) = self.run_launch(e, root, (i, &launches[i]), host_gave_up) {
                self.run_inner_launches(e, &run, &mut inner);
                runs.push(run);
            }
        }
        runs.append(&mut inner.found);
        self.launches += u32::try_from(all(true).count()).unwrap_or(u32::MAX);
        runs
    }

    /// Returns a launch with the values that its path decides, and what is known where it is made; `None` where it never
    /// happens.
    pub(crate) fn known_launch(
        &self,
        e: &mut Executor<'p>,
        root: &HostRoot,
        l: &LaunchEvent,
    ) -> Option<(LaunchEvent, DecidedValues, Vec<TermId>)> {
        let (launch, decided) = specialise::launch(e, l)?;
        let mut facts = cone::conditions(e, &launch);
        facts.extend(e.launch_axioms(&launch.config));
        if self.cx.program.func(root.func).name == "main" {
            let mentioned = cone::mentioned(e, &launch, &facts);
            facts.extend(e.assumed_of_inputs(root.func, &mentioned));
        }
        e.apply_invariants();
        let mentioned = cone::mentioned(e, &launch, &facts);
        facts.extend(e.of_objects(&mentioned));
        Some((launch, decided, facts))
    }

    /// Executes the kernel of one launch.
    pub(super) fn run_launch(
        &mut self,
        e: &mut Executor<'p>,
        root: &HostRoot,
        (number, l): (usize, &LaunchEvent),
        host_gave_up: Option<&UnknownReason>,
    ) -> Option<ExecutedLaunch> {
        self.launches += 1;
        let kernel = match &l.kernel {
            Ok(k) => *k,
            Err(symbol) => {
                let note = match self.tile_kernel(symbol) {
                    Some(of_tiles) => format!("`{}` is a tile kernel, which is not followed", of_tiles.display),
                    None => format!("the kernel `{symbol}` is not defined in this program"),
                };
                self.report.notes.push(note);
                return None;
            }
        };
        self.kernels.insert(kernel);
        self.launched.insert(kernel);
        let (launch, decided, facts) = self.known_launch(e, root, l)?;
        let run = run_within_steps(e, kernel, &launch, &facts);
        e.apply_invariants();
        // What a summary decides needs no execution to its end.
        let is_decided = self.summaries.as_ref().and_then(|s| s.get()).is_some_and(|s| s.decided.contains(&number));
        let gave_up = run.gave_up.as_ref().filter(|_| !is_decided);
        if let Some(why) = gave_up {
            self.report
                .notes
                .push(format!("`{}` was not followed to its end: {why}", self.cx.program.func(kernel).display));
        }
        self.came_to(kernel, &run, gave_up);
        let partly = match (gave_up, host_gave_up) {
            (Some(why), _) => Some(UnknownReason::KernelNotFollowed(Box::new(why.clone()))),
            (None, Some(why)) => Some(UnknownReason::HostNotFollowed(Box::new(why.clone()))),
            (None, None) => None,
        };
        if let Some(why) = &partly {
            self.partly.entry(kernel).or_insert_with(|| why.clone());
        }
        inside::dump(Dump::State, || state::at_launch(e, &launch, kernel));
        let layout = UsedParts::of(&run);
        let (invariants, summaries) = (Invariants::default(), self.summaries.clone());
        Some(ExecutedLaunch { launch, decided, number, kernel, run, layout, invariants, partly, summaries })
    }
}
