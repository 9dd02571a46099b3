//! Kernels under an arbitrary launch: properties that hold for every launch.
//!
//! In: a kernel. Out: accesses that are safe under every launch, and, where no launch of the kernel is known, all
//! outcomes that can be derived.

use super::Engine;
use super::budgets;
use super::first_pass::extremes_first;
use super::prepare::run_within_steps;
use crate::context::{ArrayPosition, RootTools};
use crate::counterexample::degenerate::Sizes;
use crate::obligations::decide::{Decider, LimitedDecider};
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::{AccessVerdict, Effort, FurtherEffort};
use crate::rules::{alignment, bounds};
use base::axioms::OmittedAxioms;
use base::reasons::UnknownReason;
use base::work::Work;
use contracts::{Contract, Requirement};
use engine::symbolic::exec::events::{AccessEvent, LaunchConfig, LaunchEvent};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::inputs::contract_facts::ContractParty;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::term::TermId;
use ir::FuncRef;
use library::host::HostRoot;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Whether a proof shows that an access stays in the objects that it reaches.
pub(crate) fn stays_in_objects(e: &mut Executor<'_>, decider: &mut LimitedDecider<'_>, ev: &AccessEvent) -> bool {
    ev.targets.iter().all(|t| {
        let facts = e.arena.and(ev.path, t.cond);
        if e.arena.as_bool(facts) == Some(false) {
            return true;
        }
        let Base::Object(o) = t.base else { return false };
        let Some(extent) = e.object(o).extent else { return false };
        let ob = Obligation { facts, offset: t.offset, bytes: ev.bytes, extent };
        matches!(decider.decide_roughly(&mut e.arena, &ob).decision, Decision::Safe)
    })
}

impl<'p> Engine<'p> {
    /// Returns the accesses of a kernel, by their call stacks, that are safe under every launch: indices of local
    /// arrays and the like need not be decided again for each launch.
    pub(super) fn safe_under_any_launch(&mut self, kernel: FuncRef) -> FxHashSet<Vec<Site>> {
        self.cx.all = self.cx.phase(budgets::ANY_LAUNCH, 10);
        // The kernel's launches are known, and may violate its contract.
        let (mut e, run, ..) = self.any_known_launch(kernel, &[]);
        if run.gave_up.is_some() {
            return FxHashSet::default();
        }
        let mut fresh = Decider::default();
        let mut decider = fresh.with(self.cx.attempt.with_work(self.cx.scaled(budgets::FIRST) / 2));
        let (mut safe, mut open): (FxHashSet<Vec<Site>>, FxHashSet<Vec<Site>>) = Default::default();
        for ev in &run.accesses {
            if open.contains(&*ev.stack) || self.cx.is_spent() {
                open.insert(ev.stack.to_vec());
                continue;
            }
            if stays_in_objects(&mut e, &mut decider, ev) {
                safe.insert(ev.stack.to_vec());
            } else {
                open.insert(ev.stack.to_vec());
            }
        }
        safe.retain(|s| !open.contains(s));
        for ev in run.accesses.iter().filter(|ev| safe.contains(&*ev.stack)) {
            let place = self.cx.place_of(ev);
            self.assumed.note(&e, &place, ev);
        }
        safe
    }

    /// Executes a kernel under an arbitrary launch that satisfies these contracts; also returns configuration and
    /// arguments of the launch.
    pub(crate) fn any_launch(
        &self,
        kernel: FuncRef,
        contracts: &[Contract],
    ) -> (Executor<'p>, KernelRun, (LaunchConfig, Vec<Value>)) {
        let (e, run, launch, _) = self.any_launch_given(kernel, contracts, (&[], self.cx.without));
        (e, run, (launch.config, launch.args))
    }

    /// Executes a kernel under an arbitrary one of its known launches, at all of which these conditions hold.
    pub(crate) fn any_known_launch(
        &self,
        kernel: FuncRef,
        given: &[Requirement],
    ) -> (Executor<'p>, KernelRun, LaunchEvent, Vec<TermId>) {
        self.any_launch_given(kernel, &[], (given, self.cx.without.and_of_callers()))
    }

    /// Executes a kernel as [`Self::any_launch`] does, where the launch also satisfies these conditions, which hold at
    /// every launch that the result is used for. Also returns the conditions as terms.
    fn any_launch_given(
        &self,
        kernel: FuncRef,
        contracts: &[Contract],
        (given, without): (&[Requirement], OmittedAxioms),
    ) -> (Executor<'p>, KernelRun, LaunchEvent, Vec<TermId>) {
        let mut e = self.executor_without(without);
        e.assumptions.contracts = contracts.into();
        // Contracts of its own calls are judged where its launches are known.
        if contracts.is_empty() {
            e.assumptions.owed = [].into();
        }
        self.skip_contradictory_assumptions(kernel, &mut e);
        let name = self.cx.program.func(kernel).name.clone();
        let config = e.unknown_launch(&name);
        let config = e.with_declared_block(kernel, config);
        let args = e.unknown_arguments(kernel);
        let mut state = e.initial_state();
        for a in &args {
            e.ensure_pointees(&mut state, a);
        }
        let site = Site { func: kernel, block: ir::BlockId(0), inst: 0 };
        let l = LaunchEvent {
            site,
            stack: std::rc::Rc::new(vec![]),
            kernel: Ok(kernel),
            config,
            args,
            memory: state.mem,
            path: state.path,
            always: state.always,
            loops: vec![],
        };
        let mut facts = e.launch_axioms(&l.config);
        let given: Vec<TermId> =
            given.iter().filter_map(|r| e.required_of_launch(kernel, &l, r, ContractParty::Entry)).collect();
        facts.extend(&given);
        let run = run_within_steps(&mut e, kernel, &l, &facts);
        e.apply_invariants();
        (e, run, l, given)
    }

    /// Decides a kernel without a known launch: reports only what holds for every launch. Positions that are `undecided`
    /// anyway are not looked at: without a launch there are no findings, and nothing else outweighs that.
    pub(super) fn run_idle(&mut self, kernel: FuncRef, undecided: &FxHashSet<ArrayPosition>) {
        self.kernels.insert(kernel);
        let (mut e, mut run, _) = self.any_launch(kernel, &self.cx.options.contracts);
        self.report.problems.append(&mut e.assumptions.problems);
        if self.can_never_hold(kernel, &mut e) || self.contradicts(&mut e) {
            (e, run, _) = self.any_launch(kernel, &self.contracts_of(kernel));
        }
        let root = HostRoot { func: kernel, trusted: false, entry: false, bound: false };
        let mut tools = self.tools(e, &root, Sizes::default(), Arc::default());
        self.look_at_idle(kernel, &mut tools, &run, undecided);
        self.came_to(kernel, &run, run.gave_up.as_ref());
        if let Some(why) = run.gave_up {
            self.partly.entry(kernel).or_insert(why);
        }
    }

    /// Glances at every access of such a kernel, then looks at those that are still undecided; those that need little
    /// more come first, because a few undecidable ones would use up the budget.
    fn look_at_idle(
        &mut self,
        kernel: FuncRef,
        tools: &mut RootTools<'p>,
        run: &KernelRun,
        undecided: &FxHashSet<ArrayPosition>,
    ) {
        // Code after the point where the execution gave up may reach earlier accesses again, in another state.
        let partly = run.gave_up.clone().map(|why| UnknownReason::KernelNotFollowed(Box::new(why)));
        let cx = self.cx.with_work(self.cx.scaled(Work::seconds(1)));
        let (glance, never) = (cx.at_a_glance(), self.never_launched.contains(&kernel));
        let mut open = undecided.clone();
        let mut rest = vec![];
        for i in extremes_first(&mut tools.e.arena, &run.accesses) {
            let ev = &run.accesses[i];
            let place = self.cx.place_of(ev);
            if self.assumed.skips(&place) {
                continue;
            }
            self.assumed.note(&tools.e, &place, ev);
            if open.contains(&place) {
                continue;
            }
            // Nothing is decided then, whatever a look finds.
            if let Some(why) = &partly {
                open.insert(place);
                self.put(kernel, ev, AccessVerdict::Unknown(why.clone()));
                continue;
            }
            let look = bounds::look(&glance, tools, None, ev, Effort::Glance);
            if look.more == FurtherEffort::Nothing && look.outcome.is_safe() {
                self.put(kernel, ev, look.outcome);
            } else {
                rest.push((!look.outcome.is_safe(), i, place));
            }
        }
        rest.sort_by_key(|(open, i, _)| (*open, *i));
        for (_, i, place) in rest {
            // Where another context is undecided, this one decides nothing alone.
            if open.contains(&place) {
                continue;
            }
            let ev = &run.accesses[i];
            let lost = self.unfollowed.get(&kernel).cloned();
            let lost = lost.or_else(|| self.lost.clone().map(|why| UnknownReason::NoLaunchHost(Box::new(why))));
            let outcome = match (bounds::look(&cx, tools, None, ev, Effort::First).outcome, lost) {
                (AccessVerdict::Found(_) | AccessVerdict::Unknown(_), None) if never => AccessVerdict::Safe,
                (AccessVerdict::Found(_) | AccessVerdict::Unknown(_), Some(lost)) => AccessVerdict::Unknown(lost),
                (AccessVerdict::Found(_), None) => AccessVerdict::Unknown(UnknownReason::NoLaunch),
                // An unknown extent is explanation enough; and so is what says the same.
                (o @ AccessVerdict::Unknown(UnknownReason::ExtentOfParameter(_) | UnknownReason::NoLaunch), None) => o,
                (AccessVerdict::Unknown(why), None) => {
                    AccessVerdict::Unknown(UnknownReason::NoLaunchOpen(Box::new(why)))
                }
                (o @ (AccessVerdict::Safe | AccessVerdict::SafeIfNoWrap(_)), _) => o,
            };
            if matches!(outcome, AccessVerdict::Unknown(_)) {
                open.insert(place);
            }
            self.put(kernel, ev, outcome);
        }
        for event in run.unaligned.iter().filter(|_| partly.is_none()) {
            if let Some((access, outcome)) = alignment::of_any_launch(&cx, tools, event) {
                self.put(kernel, &access, outcome);
            }
        }
    }
}
