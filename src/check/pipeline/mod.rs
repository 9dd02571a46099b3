//! Check of one program: executes its roots, runs the kernel of each launch, and decides each access.
//!
//! In: a program and settings. Out: its report. The engine decides when to look at each access, and with how much
//! work; the checks of an access are in [`super::rules`], which know only a [`CheckContext`] of the engine. `prepare`
//! executes a root, `first_pass` and `second_pass` decide its accesses in tasks that `parallel` shares among threads,
//! `tally` keeps the decisions.

pub(crate) mod ablation;
pub(crate) mod any_launch;
pub(crate) mod budgets;
pub(crate) mod classes;
pub(crate) mod coverage;
mod doubts;
mod first_pass;
pub(crate) mod host;
mod inner_launches;
pub(crate) mod parallel;
pub(crate) mod prepare;
mod second_pass;
mod tally;
mod tiles;
pub(crate) mod turns;
mod vain;

use self::ablation::CheckAssumptions;
use self::parallel::{PositionOwners, SafeAnyway};
use super::context::{CheckContext, PositionDecisions};
use super::options::CheckOptions;
use super::report::{ContractFault, ProgramReport};
use super::rules::rule::HostEvents;
use super::rules::{self, overflow};
use super::summaries::LaunchSummaries;
use crate::context::{ExecutedLaunch, RootTools};
use base::axioms::{Axiom, ConsultedAxioms, OmittedAxioms};
use base::inside::{self, CheckPhase};
use base::reasons::UnknownReason;
use base::work::{Allotment, Work, done};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::inputs::assume::Assumptions;
use engine::symbolic::limits::ExecutionLimits;
use engine::symbolic::limits::budget::ExecutionBudget;
use engine::symbolic::limits::cost::{HostPart, PartCosts, PartTreatment};
use ir::launched::{LaunchesByKernels, given_away};
use ir::reach::Reach;
use ir::{FuncRef, Function, Linkage, Module, Program, Side};
use library::Models;
use library::host::{HostRoot, lead_to_launches, roots};
use models::attributes::{acts_on_a_device, may_be_the_programs};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

pub(super) struct Engine<'p> {
    /// Program, settings, and budget.
    pub cx: CheckContext<'p>,
    pub places: PositionDecisions,
    kernels: FxHashSet<FuncRef>,
    launched: FxHashSet<FuncRef>,
    /// Kernels in system headers that modelled calls launch.
    behind_models: FxHashSet<FuncRef>,
    /// Functions of the program that modelled calls call on a device.
    called_by_models: FxHashSet<FuncRef>,
    /// Host functions that executions of roots came to.
    followed: FxHashSet<FuncRef>,
    /// Functions whose addresses code outside the program gets.
    given_away: FxHashSet<FuncRef>,
    launches: u32,
    pub report: ProgramReport,
    /// Reasons, by kernel, why some launch of it was not executed completely, or why its launches may not all be
    /// known.
    partly: BTreeMap<FuncRef, UnknownReason>,
    /// Instructions of kernels that accessed only a thread's own plain variables.
    own_alone: FxHashSet<Site>,
    /// Reason why some root was not executed completely: launches of the kernels without a known launch may be there.
    pub lost: Option<UnknownReason>,
    /// Reasons, by kernel with known launches, why there may be others.
    unfollowed: BTreeMap<FuncRef, UnknownReason>,
    /// Kernels to whose launches no execution comes.
    never_launched: FxHashSet<FuncRef>,
    pub assumed: CheckAssumptions,
    /// Record of the axioms that executions used, if requested.
    came_to: Option<Arc<ConsultedAxioms>>,
    /// Host loops of the current root whose launches are too many to execute each.
    by_invariant: FxHashMap<HostPart, PartTreatment>,
    /// Functions whose contracts can never hold.
    vain: FxHashSet<FuncRef>,
    /// Conditions that contradict known facts at calls where they would be assumed.
    refused: FxHashSet<(FuncRef, String)>,
    /// Host code that may lead to CUDA.
    pub reach: Arc<Reach>,
    /// Launches by device code.
    pub by_kernels: Arc<LaunchesByKernels>,
    /// Most threads that the engine may use.
    pub threads: usize,
    /// Owned positions, where other engines decide accesses of the same root.
    pub own: Option<(Arc<PositionOwners>, usize)>,
    /// Summaries of the current root's launches, once they are known. `None`: every launch is executed.
    pub summaries: Option<Arc<OnceLock<LaunchSummaries>>>,
    /// Flag that is set once nobody waits for the result.
    pub over: Option<Arc<AtomicBool>>,
}

impl<'p> Engine<'p> {
    pub fn new(program: &'p Program, options: &'p CheckOptions) -> Self {
        let reach = Reach::of(program, |f| acts_on_a_device(&f.name));
        Self::with(CheckContext::new(program, options), Arc::new(reach), Arc::new(LaunchesByKernels::of(program)))
    }

    fn with(cx: CheckContext<'p>, reach: Arc<Reach>, by_kernels: Arc<LaunchesByKernels>) -> Self {
        Self {
            cx,
            reach,
            by_kernels,
            threads: cx.options.threads(),
            own: None,
            summaries: None,
            over: None,
            places: BTreeMap::new(),
            kernels: FxHashSet::default(),
            launched: FxHashSet::default(),
            behind_models: FxHashSet::default(),
            called_by_models: FxHashSet::default(),
            followed: FxHashSet::default(),
            given_away: FxHashSet::default(),
            launches: 0,
            partly: BTreeMap::new(),
            own_alone: FxHashSet::default(),
            report: ProgramReport::default(),
            lost: None,
            unfollowed: BTreeMap::new(),
            never_launched: FxHashSet::default(),
            assumed: CheckAssumptions::default(),
            came_to: None,
            by_invariant: FxHashMap::default(),
            vain: FxHashSet::default(),
            refused: FxHashSet::default(),
        }
    }

    /// Returns contracts that turned out to be wrong.
    pub fn faults(&mut self) -> Vec<ContractFault> {
        std::mem::take(&mut self.report.faults)
    }

    /// Checks the program within `most` work in total. `of_entries` adds what entry points cannot check.
    pub fn run(mut self, most: Work, of_entries: impl FnOnce(&mut Self)) -> ProgramReport {
        let start = Instant::now();
        self.cx.total = most;
        self.visit();
        self.tiles();
        self.unreached();
        of_entries(&mut self);
        self.without_assumptions();
        self.asserts_that_matter();
        self.doubts();
        self.finish(start)
    }

    /// Returns a new engine without results.
    pub(super) fn again(&self) -> Self {
        let fresh = CheckContext::new(self.cx.program, self.cx.options);
        let cx = CheckContext { part: self.cx.part, total: self.cx.total, ..fresh };
        Self { came_to: self.came_to.clone(), ..Self::with(cx, self.reach.clone(), self.by_kernels.clone()) }
    }

    /// Adds the work of this thread since `before` to the spent work.
    pub(super) fn spend_since(&mut self, before: Work) {
        self.cx.spent = self.cx.spent + (done() - before);
    }

    /// Executes the program from all its roots and decides every access.
    pub(super) fn visit(&mut self) {
        let roots = roots(self.cx.program, &self.cx.options.roots, &self.cx.options.entry);
        let launching = lead_to_launches(self.cx.program);
        let first = roots.iter().filter(|r| launching.contains(&r.func)).count();
        let (own, others) = budgets::shares(self.cx.total, first, roots.len() - first);
        self.by_turns(&roots, |engine, root| {
            let share = if launching.contains(&root.func) { own } else { others };
            (engine.cx.part, engine.cx.total) = (share.part, share.total);
            engine.run_root(root);
        });
        if roots.iter().all(|root| !root.trusted || root.entry) {
            self.note_callable(&roots);
        }
        let idle = self.idle();
        self.never_launched = idle.iter().copied().filter(|k| self.is_never_launched(*k)).collect();
        // Nothing else is known of the others' launches.
        self.unfollowed.retain(|kernel, _| self.launched.contains(kernel));
        let (all, total) = (idle.len(), self.cx.total);
        for kernels in self.by_source(idle) {
            // What one instance of a template leaves undecided stays so, whatever the others are.
            let undecided = self.undecided_places();
            self.by_turns(&kernels, |engine, kernel| {
                let is_stated = !engine.contracts_of(*kernel).is_empty();
                let each = if is_stated { budgets::asked_for(all) } else { budgets::idle(all) };
                engine.cx.total = total / all as u64;
                engine.cx.all = engine.cx.phase(each, 100);
                let before = done();
                engine.run_idle(*kernel, &undecided);
                engine.spend_since(before);
            });
        }
    }

    /// Parts kernels into the first of each source position and the others, further instances of these templates.
    fn by_source(&self, kernels: Vec<FuncRef>) -> [Vec<FuncRef>; 2] {
        let mut seen = FxHashSet::default();
        let (first, others) = kernels.into_iter().partition(|k| {
            let func = self.cx.program.func(*k);
            seen.insert(self.cx.program.users_loc(k.module, func.loc))
        });
        [first, others]
    }

    /// Returns the kernels that nothing launched so far, not even a modelled call of a library. Without relocatable code
    /// each unit has its copy of a template's instance; the copies count as one kernel.
    fn idle(&self) -> Vec<FuncRef> {
        let shared = |f: &&Function| f.linkage != Linkage::Internal;
        let launched: FxHashSet<&str> =
            self.launched.iter().map(|r| self.cx.program.func(*r)).filter(shared).map(|f| f.name.as_str()).collect();
        let is_launched =
            |r: &FuncRef, f: &Function| self.launched.contains(r) || shared(&f) && launched.contains(f.name.as_str());
        // A kernel that nothing launches needs no axiom for that.
        let is_known = |r: &FuncRef, f: &Function| is_launched(r, f) && self.takes(Axiom::KnownLaunches);
        let is_kernel = |m: &Module, f: &Function| m.side == Side::Device && f.kernel && !f.is_declaration();
        let inner = self.by_kernels.with_unknown_launches(|k| {
            is_known(&k, self.cx.program.func(k)) && !self.unfollowed.contains_key(&k) && !self.partly.contains_key(&k)
        });
        self.cx
            .program
            .functions()
            .filter(|(r, m, f)| {
                is_kernel(m, f) && (inner.contains(r) || self.unfollowed.contains_key(r) || !is_known(r, f))
            })
            .filter(|(r, ..)| !self.behind_models.contains(r))
            .map(|(r, ..)| r)
            .collect()
    }

    /// Whether `main`, which was followed to its end like all else, leads to launches of a kernel that no execution comes to.
    fn is_never_launched(&self, kernel: FuncRef) -> bool {
        let program = self.cx.program;
        let is_main = |f: &FuncRef| program.func(*f).name == "main";
        let from = self.followed.iter().copied().find(is_main);
        self.lost.is_none()
            && !self.launched.contains(&kernel)
            && !self.unfollowed.contains_key(&kernel)
            && !self.by_kernels.with_unknown_launches(|_| false).contains(&kernel)
            && self.takes(Axiom::KnownLaunches)
            && from.is_some_and(|main| {
                self.reach.kernels_launched_by(program, main, &FxHashSet::default()).contains(&kernel)
            })
    }

    /// Records that a root was not followed to its end: it may launch kernels otherwise than other roots do.
    fn note_unfollowed(&mut self, root: FuncRef, why: &UnknownReason) {
        self.lost.get_or_insert_with(|| why.clone());
        let why = UnknownReason::HostNotFollowed(Box::new(why.clone()));
        for kernel in self.reach.kernels_launched_from(self.cx.program, root) {
            self.unfollowed.entry(kernel).or_insert_with(|| why.clone());
        }
    }

    /// Records launches of a library in functions that no execution came to, and in those whose address others get:
    /// whoever has it, or an object with them in its table of virtual functions, may call them. Roots are called with any
    /// arguments anyway.
    fn note_callable(&mut self, roots: &[HostRoot]) {
        let launching = lead_to_launches(self.cx.program);
        let roots: FxHashSet<FuncRef> = roots.iter().map(|root| root.func).collect();
        let mut given = given_away(self.cx.program, &self.reach, &roots, &may_be_the_programs);
        given.extend(&self.given_away);
        for f in self.reach.taken().iter().copied().filter(|f| launching.contains(f) && !roots.contains(f)) {
            if self.followed.contains(&f) && !given.contains(&f) {
                continue;
            }
            let why = UnknownReason::CalledByAddress(self.cx.program.func(f).display.clone());
            for kernel in self.reach.kernels_launched_by(self.cx.program, f, &roots) {
                self.unfollowed.entry(kernel).or_insert_with(|| why.clone());
            }
        }
    }

    /// Whether executions use an axiom ([`Assumptions::takes`]).
    fn takes(&self, axiom: Axiom) -> bool {
        Assumptions::new(&[], self.cx.without, self.came_to.clone()).takes(axiom)
    }

    /// Returns the budget of one execution, with this much work.
    pub(super) fn budget(&self, work: Allotment) -> ExecutionBudget {
        ExecutionBudget::new(work, self.cx.options.memory, self.over.clone())
    }

    pub(super) fn executor(&self) -> Executor<'p> {
        self.executor_without(self.cx.without)
    }

    /// Returns an executor that takes all axioms but these.
    pub(super) fn executor_without(&self, without: OmittedAxioms) -> Executor<'p> {
        let mut e = Executor::new(self.cx.program, &Models);
        e.runtime.device_memory = self.cx.options.device_memory;
        e.limits = ExecutionLimits::new(self.budget(self.cx.all), PartCosts::default());
        e.assumptions = Assumptions::new(&self.cx.options.assume, without, self.came_to.clone());
        e.assumptions.owed = self.cx.options.contracts.iter().chain(&self.cx.options.owed).cloned().collect();
        e.assumptions.refused = self.refused.clone();
        e.assumptions.invariants = self.cx.options.invariants.as_slice().into();
        e.assumptions.classes = self.cx.options.classes.as_slice().into();
        e
    }

    fn run_root(&mut self, root: &HostRoot) {
        self.summaries = (!root.entry).then(Arc::default);
        let mut prepared = self.prepare(root);
        // A second execution of the root has summaries of its own.
        let summaries = self.summaries.clone().unwrap_or_default();
        if let Some(why) = &prepared.gave_up {
            let f = self.cx.program.func(root.func);
            let name = if f.name.starts_with("_Z") { &f.display } else { &f.name };
            self.report.notes.push(format!("`{name}` was not followed to its end: {why}"));
        }
        if let Some(why) = &prepared.gave_up {
            self.note_unfollowed(root.func, why);
        }
        let e = &mut prepared.executor;
        self.report.notes.append(&mut e.events.notes);
        let events = HostEvents {
            stale: std::mem::take(&mut e.events.stale),
            copies: std::mem::take(&mut e.events.copies),
            contracts: std::mem::take(&mut e.events.contracts),
        };
        let mut times: BTreeMap<FuncRef, u32> = BTreeMap::new();
        for r in &prepared.runs {
            *times.entry(r.kernel).or_default() += 1;
        }
        let before = done();
        let is_summarised = |k: &FuncRef| summaries.get().is_some_and(|s: &LaunchSummaries| s.safe.contains_key(k));
        let stacks = times
            .into_iter()
            .filter(|(k, n)| *n > 1 && !is_summarised(k))
            .map(|(k, _)| (k, self.safe_under_any_launch(k)))
            .collect();
        let safe = SafeAnyway { stacks };
        self.spend_since(before);
        let gave_up = prepared.gave_up.clone();
        let (runs, mut tools) = self.decide_all(root, prepared, &safe);
        // After the looks, which name operations in the words of the inputs.
        if let Some(summaries) = summaries.get() {
            self.put_summaries(summaries, gave_up.as_ref());
        }
        let before = done();
        self.cx.all = self.cx.phase(budgets::CALLS, 50);
        if !self.cx.bare {
            inside::timed(CheckPhase::HostCalls, || self.beside_bounds(&mut tools, &runs, &events));
        }
        self.spend_since(before);
        if !self.cx.is_hurried() {
            let before = done();
            let found =
                inside::timed(CheckPhase::Overflow, || overflow::find(&self.cx, &mut tools, &runs, &self.places));
            for o in found {
                self.put(o.kernel, o.event, o.outcome);
            }
            self.spend_since(before);
        }
        self.report.problems.append(&mut tools.e.assumptions.problems);
    }

    /// Applies the rules for host calls and launches, beside the bounds of accesses.
    fn beside_bounds(&mut self, tools: &mut RootTools<'p>, runs: &[ExecutedLaunch], events: &HostEvents) {
        let cx = self.cx.within(self.cx.all);
        for rule in rules::ALL {
            rule.in_host(&cx, tools, events, self);
        }
        for run in runs {
            for rule in rules::ALL {
                rule.in_kernel(&cx, tools, run, self);
            }
        }
        for rule in rules::ALL {
            rule.in_launches(&cx, tools, runs, self);
        }
    }
}
