//! One program: its roots are executed, each launch's kernel is run, each access decided.

pub(in crate::check) mod ablation;
pub(in crate::check) mod budgets;
pub(in crate::check) mod coverage;
pub(in crate::check) mod host;
pub(in crate::check) mod parallel;

use self::ablation::Assumed;
use self::parallel::{Owners, SafeAnyway};
use super::concurrency::across_launches::History;
use super::concurrency::invariants::Invariants;
use super::concurrency::reads_from::Exchange;
use super::counterexample::concrete_trials::Tried;
use super::counterexample::degenerate::Sizes;
use super::counterexample::input_files::Opened;
use super::counterexample::replay::Judge;
use super::findings::build::loc_of;
use super::findings::host_call::Tools;
use super::findings::kernel::Launched;
use super::findings::wording;
use super::obligations::cone;
use super::obligations::decide::{Decider, Decision, Obligation};
use super::obligations::specialise;
use super::obligations::specialise::Decided;
use super::obligations::verdict::{Effort, Look, More, Outcome, SPENT};
use super::rules::layout_intent::Layout;
use super::rules::{alignment, lifetime, memcpy, pointer, subarray};
use super::solver::Limits;
use super::{Options, ProgramReport, Standing};
use crate::host::{Root, roots};
use crate::ir::reach::Reach;
use crate::ir::{FuncRef, Function, Linkage, Program, Side, SourceLoc};
use crate::kernel::KernelRun;
use crate::models::attributes::is_of_cuda;
use crate::nets;
use crate::report::finding::{Code, Position, Rule, Summary, Undecided, Verdict};
use crate::symbolic::exec::events::{CopyEvent, StaleEvent};
use crate::symbolic::exec::executor::{AccessEvent, Executor, LaunchEvent, Site};
use crate::symbolic::inputs::assume::Assumptions;
use crate::symbolic::limits::budget::{Limit, MOST_ROUNDS};
use crate::symbolic::loops::prefix_sum;
use crate::symbolic::loops::quantified_facts;
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::partition::{PartId, Partition};
use crate::symbolic::memory::value::{Base, Lost, Target};
use crate::symbolic::terms::term::{Arena, TermId};
use crate::work::{Allotment, Work, done};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// How many accesses in a row may stay open that rest on what is not known, before the next get little only.
const FRUITLESS: u32 = 2;

/// How often it is looked at what remains of what was supposed of memory between launches.
const SUPPOSED: u32 = 8;

/// Of the bytes that a check may have in memory, terms may take one part in so many: the rest is for what is made of them, in as many threads
/// as there may be.
const TERMS: u64 = 4;

/// Steps for one execution of a kernel.
const STEPS: u64 = 2_000_000;

/// Work on the copies of one call beyond which no further way to it is looked at.
const CALL_WORK: Work = Work::seconds(1);

/// Uses of freed memory by one launch that are looked at for each place of a finding.
const STALE_TRIES: usize = 8;
/// How the reason ends for which the extent of a parameter is open.
const NO_CALLER: &str = ": no known code calls this";

/// A launch whose kernel was executed.
pub(super) struct Run {
    pub launch: LaunchEvent,
    pub decided: Decided,
    /// Among all that the root comes to.
    pub number: usize,
    pub kernel: FuncRef,
    pub run: KernelRun,
    pub layout: Layout,
    /// Of what its threads exchange through memory.
    invariants: Invariants,
    /// Why kernel or host was not followed to its end.
    partly: Option<String>,
}

/// Executes a kernel. Where that takes too many steps, again without executing rounds of loops one by one: what their bodies do is known
/// less exactly then.
fn run_within_steps(e: &mut Executor<'_>, kernel: FuncRef, launch: &LaunchEvent, facts: &[TermId]) -> KernelRun {
    e.budget.steps = STEPS;
    let run = e.run_kernel(kernel, launch, facts.to_vec());
    if run.limit != Some(Limit::Steps) {
        return run;
    }
    e.budget.steps = STEPS;
    e.budget.most_rounds = 1;
    let run = e.run_kernel(kernel, launch, facts.to_vec());
    e.budget.most_rounds = MOST_ROUNDS;
    run
}

/// Finds bounds on what threads exchange in each launch, and what of that lasts from one launch to others.
fn what_they_exchange(tools: &mut Tools<'_>, runs: &mut [Run], until: Allotment) {
    let mut history = History::of(&mut tools.e, runs);
    for round in 0.. {
        for run in runs.iter_mut() {
            if !until.is_spent() {
                run.find_invariants(tools, &history);
            } else {
                run.invariants = Invariants::default();
            }
        }
        if history.is_empty() {
            return;
        }
        if until.is_spent() {
            return runs.iter_mut().for_each(|r| r.invariants = Invariants::default());
        }
        if !history.give_up(tools, runs) {
            return;
        }
        if round >= SUPPOSED {
            history.clear();
        }
    }
}

/// The accesses in an order in which of those whose offsets differ by a constant the least and the greatest come first: what they are within,
/// the others are. Else as they are.
fn extremes_first(a: &mut Arena, accesses: &[AccessEvent]) -> Vec<usize> {
    let mut families: FxHashMap<(Base, TermId), (usize, usize)> = FxHashMap::default();
    let mut constants = vec![0; accesses.len()];
    for (i, access) in accesses.iter().enumerate() {
        let [target] = &access.targets[..] else { continue };
        let constant = a.constant_of(target.offset);
        constants[i] = constant;
        let rest = a.add_const(target.offset, -constant);
        let (least, greatest) = families.entry((target.base.clone(), rest)).or_insert((i, i));
        if constant < constants[*least] {
            *least = i;
        }
        if constant > constants[*greatest] {
            *greatest = i;
        }
    }
    let first: FxHashSet<usize> = families.into_values().flat_map(|(least, greatest)| [least, greatest]).collect();
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|i| (!first.contains(i), *i));
    order
}

impl Run {
    pub fn part(&self, id: PartId) -> &Partition {
        &self.run.partitions[id.0 as usize]
    }
    pub fn launched(&self) -> Launched<'_> {
        Launched { launch: &self.launch, kernel: self.kernel, run: &self.run }
    }

    pub const fn invariants(&self) -> &Invariants {
        &self.invariants
    }

    fn find_invariants(&mut self, tools: &mut Tools<'_>, history: &History) {
        let decided = &self.decided;
        let before = history.at(&mut tools.e, self, decided);
        self.invariants = Invariants::of(
            tools,
            &self.launch,
            &self.run,
            &|e, o| {
                let extent = e.object(o).extent?;
                Some(decided.term(&mut e.arena, extent))
            },
            before,
        );
    }

    /// What may be said of an access where the kernel or the host was not followed to its end: beyond that point it may be
    /// reached again, otherwise.
    fn partial(&self, outcome: Outcome) -> Outcome {
        match &self.partly {
            Some(why) if !outcome.is_finding() => Outcome::Unknown(why.clone()),
            _ => outcome,
        }
    }
}

/// A root and the kernels that it launches, executed.
pub(super) struct Prepared<'p> {
    executor: Executor<'p>,
    pub gave_up: Option<String>,
    pub runs: Vec<Run>,
}

/// An access whose first look is not the last word, by the numbers of its launch and its place in it.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub place: Place,
    pub run: usize,
    pub event: usize,
    pub first: Look,
}

/// What one access must keep to in one object, and whether that takes what the threads of a launch exchange into account.
pub(super) fn obligation(
    tools: &mut Tools<'_>,
    launch: Option<&Run>,
    ev: &AccessEvent,
    facts: TermId,
    target: &Target,
    extent: TermId,
) -> (Obligation, bool) {
    let extent = launch.map_or(extent, |r| r.decided.term(&mut tools.e.arena, extent));
    let exchanged = launch.and_then(|r| r.invariants.facts(&mut tools.e, &[facts, target.offset]));
    let facts = exchanged.map_or(facts, |more| tools.e.arena.and(facts, more));
    let checked =
        launch.and_then(|r| quantified_facts::instances(&mut tools.e.arena, &r.launch.always, &[facts, target.offset]));
    let facts = checked.map_or(facts, |more| tools.e.arena.and(facts, more));
    let same = tools.e.same_inputs(&[facts, target.offset, ev.bytes, extent]);
    let facts = same.map_or(facts, |more| tools.e.arena.and(facts, more));
    let sums = prefix_sum::instances(&mut tools.e.arena, &[facts, target.offset, extent]);
    let facts = sums.map_or(facts, |more| tools.e.arena.and(facts, more));
    (Obligation { facts, offset: target.offset, bytes: ev.bytes, extent }, exchanged.is_some())
}

/// What is said of an access on a way that is never taken; `None` where it may be.
fn never(tools: &mut Tools<'_>, facts: TermId) -> Option<Outcome> {
    let (nothing, one, before) = (tools.e.arena.int(0), tools.e.arena.int(1), tools.e.arena.int(-1));
    match tools
        .decider
        .decide_roughly(&mut tools.e.arena, &Obligation { facts, offset: before, bytes: one, extent: nothing })
    {
        Decision::Safe => Some(Outcome::Safe),
        Decision::SafeIfNoWrap(ops) => Some(Outcome::SafeIfNoWrap(ops)),
        Decision::Fails { .. } | Decision::Unknown(_) => None,
    }
}

/// Where an access stands: one row of the counts.
pub(super) type Place = (SourceLoc, String);

pub(super) struct Engine<'p> {
    pub program: &'p Program,
    options: &'p Options,
    /// What is being done may cost so much.
    pub all: Allotment,
    /// Part of each budget of a whole root, in hundredths: of several roots none gets all.
    pub part: u32,
    /// All that it may cost, where somebody waits.
    pub total: Work,
    pub places: Places,
    kernels: FxHashSet<FuncRef>,
    launched: FxHashSet<FuncRef>,
    launches: u32,
    pub report: ProgramReport,
    /// Why some root was not followed to its end: what launches the kernels without a launch may be there.
    pub lost: Option<String>,
    pub assumed: Assumed,
    /// Which host code may lead to CUDA.
    pub reach: Arc<Reach>,
    /// Threads that it may have.
    pub threads: usize,
    /// The places that are its own, where others decide accesses of the same root.
    pub own: Option<(Arc<Owners>, usize)>,
    /// Set once nobody waits for what it does.
    pub over: Option<Arc<AtomicBool>>,
    /// What was done for the program so far.
    pub spent: Work,
}

/// What was decided, with the kernel and how often.
pub(super) type Places = BTreeMap<Place, (Outcome, String, u32)>;

impl<'p> Engine<'p> {
    pub fn new(program: &'p Program, options: &'p Options) -> Self {
        Self::with(program, options, Arc::new(Reach::of(program, |f| is_of_cuda(&f.name))))
    }

    fn with(program: &'p Program, options: &'p Options, reach: Arc<Reach>) -> Self {
        Self {
            program,
            options,
            all: Allotment::UNLIMITED,
            part: 100,
            total: Work::MAX,
            reach,
            threads: options.threads(),
            own: None,
            over: None,
            spent: Work::NONE,
            places: BTreeMap::new(),
            kernels: FxHashSet::default(),
            launched: FxHashSet::default(),
            launches: 0,
            report: ProgramReport::default(),
            lost: None,
            assumed: Assumed::default(),
        }
    }

    /// Checks the program; all of it may cost `most`.
    pub fn run(mut self, most: Work) -> ProgramReport {
        let start = Instant::now();
        self.total = most;
        self.visit();
        self.without_assumptions();
        self.finish(start)
    }

    /// An engine that has seen nothing yet.
    pub(super) fn again(&self) -> Self {
        Self { part: self.part, total: self.total, ..Self::with(self.program, self.options, self.reach.clone()) }
    }

    /// The budget of one obligation as the settings have it.
    pub(super) fn scaled(&self, work: Work) -> Work {
        work.percent(self.options.work)
    }

    /// The budget of a whole phase, as the settings, the number of roots and who waits have it: at most so many hundredths of what is left.
    pub(super) fn phase(&self, work: Work, of_left: u32) -> Allotment {
        Allotment::of(self.phase_work(work, of_left))
    }

    pub(super) fn phase_work(&self, work: Work, of_left: u32) -> Work {
        self.scaled(work).percent(self.part).min((self.total - self.spent).percent(of_left))
    }

    /// Whether somebody waits.
    pub(super) fn is_hurried(&self) -> bool {
        self.total < Work::MAX
    }

    /// Notes what this thread did since then.
    pub(super) fn spend_since(&mut self, before: Work) {
        self.spent = self.spent + (done() - before);
    }

    /// What another engine saw of the same program.
    pub(super) fn absorb(&mut self, mut other: Self) {
        self.kernels.extend(&other.kernels);
        self.launched.extend(&other.launched);
        self.launches += other.launches;
        self.report.notes.append(&mut other.report.notes);
        for problem in std::mem::take(&mut other.report.problems) {
            if !self.report.problems.contains(&problem) {
                self.report.problems.push(problem);
            }
        }
        self.lost = self.lost.take().or(other.lost.take());
        self.assumed.absorb(std::mem::take(&mut other.assumed));
        self.spent = self.spent + other.spent;
        self.absorb_places(other);
    }

    /// Only what it decided.
    pub(super) fn absorb_places(&mut self, other: Self) {
        for (place, (outcome, kernel, n)) in other.places {
            match self.places.get_mut(&place) {
                None => {
                    self.places.insert(place, (outcome, kernel, n));
                }
                Some((old, _, times)) => {
                    if outcome.is_finding() && old.is_finding() {
                        *times += n;
                    }
                    if outcome.outweighs(old) {
                        *old = outcome;
                    }
                }
            }
        }
    }

    pub(super) fn safe_places(&self) -> impl Iterator<Item = Place> {
        self.places.iter().filter(|(_, (o, ..))| o.is_safe()).map(|(p, _)| p.clone())
    }

    /// Whether nothing may be done any more: the budget is spent, or a safety net was reached.
    pub(super) fn is_spent(&self) -> bool {
        self.all.is_spent() || nets::is_late()
    }

    /// What may still be done.
    pub(super) fn work_left(&self) -> Work {
        self.all.left()
    }

    /// Whether something is open only for want of budget.
    pub(super) fn lacks_budget(&self) -> bool {
        self.places.values().any(|(o, ..)| matches!(o, Outcome::Unknown(why) if Code::of(why) == Code::Work))
    }

    /// The operations that must not wrap for a place to be safe; none where it is not, or is anyway.
    pub(super) fn rests_on(&self, place: &Place) -> &[String] {
        match self.places.get(place) {
            Some((Outcome::SafeIfNoWrap(ops), ..)) => ops,
            _ => &[],
        }
    }

    /// How bad a place is; `None` where nothing came to it.
    pub(super) fn rank(&self, place: &Place) -> Option<u8> {
        self.places.get(place).map(|(o, ..)| o.rank())
    }

    /// Executes the program from all its roots and decides every access.
    pub(super) fn visit(&mut self) {
        let roots = roots(self.program, &self.options.roots);
        self.part = budgets::share_of(roots.len());
        self.by_turns(&roots, Self::run_root);
        self.part = 100;
        let idle = self.idle();
        let each = budgets::idle(idle.len());
        self.by_turns(&idle, |engine, kernel| {
            engine.all = engine.phase(each, 100);
            engine.run_idle(*kernel);
        });
    }

    /// Kernels that nothing launched so far. Without relocatable code each unit has its copy of a template's instance: they
    /// are one kernel.
    fn idle(&self) -> Vec<FuncRef> {
        let shared = |f: &&Function| f.linkage != Linkage::Internal;
        let launched: FxHashSet<&str> =
            self.launched.iter().map(|r| self.program.func(*r)).filter(shared).map(|f| f.name.as_str()).collect();
        self.program
            .functions()
            .filter(|(r, m, f)| {
                m.side == Side::Device
                    && f.kernel
                    && !f.is_declaration()
                    && !self.launched.contains(r)
                    && !(shared(f) && launched.contains(f.name.as_str()))
            })
            .map(|(r, ..)| r)
            .collect()
    }

    pub(super) fn executor(&self) -> Executor<'p> {
        let mut e = Executor::new(self.program);
        e.device_memory = self.options.device_memory;
        e.budget.work = self.all;
        e.budget.terms = self.options.memory.map(|m| m / TERMS);
        e.budget.memory = self.options.memory;
        e.budget.over = self.over.clone();
        e.assumptions = Assumptions::new(&self.options.assume, self.assumed.asked.is_some());
        e
    }

    fn run_root(&mut self, root: &Root) {
        let mut prepared = self.prepare(root);
        if let Some(why) = &prepared.gave_up {
            self.report
                .notes
                .push(format!("`{}` was not followed to its end: {why}", self.program.func(root.func).name));
        }
        self.lost = self.lost.take().or_else(|| prepared.gave_up.clone());
        let e = &mut prepared.executor;
        self.report.notes.append(&mut e.notes);
        let (stale, copies) = (std::mem::take(&mut e.events.stale), std::mem::take(&mut e.events.copies));
        let mut times: BTreeMap<FuncRef, u32> = BTreeMap::new();
        for r in &prepared.runs {
            *times.entry(r.kernel).or_default() += 1;
        }
        let before = done();
        let safe: SafeAnyway =
            times.into_iter().filter(|(_, n)| *n > 1).map(|(k, _)| (k, self.safe_under_any_launch(k))).collect();
        self.spend_since(before);
        let (runs, mut tools) = self.decide_all(root, prepared, &safe);
        let before = done();
        self.all = self.phase(budgets::CALLS, 50);
        tools.within(self.all);
        self.calls(&mut tools, &stale, &copies);
        for run in &runs {
            self.stale_in(&mut tools, run);
            self.unaligned_in(&mut tools, run);
        }
        self.spend_since(before);
        tools.within(Allotment::UNLIMITED);
        if !self.is_hurried() {
            self.overflows(&mut tools, &runs);
        }
        self.report.problems.append(&mut tools.e.assumptions.problems);
    }

    /// Executes a root and the kernels that it launches.
    pub(super) fn prepare(&mut self, root: &Root) -> Prepared<'p> {
        let before = done();
        self.all = self.phase(budgets::EXECUTE, 80);
        let mut executor = self.follow(root);
        let gave_up = executor.gave_up.take().or(executor.missed.take());
        let launches = std::mem::take(&mut executor.events.launches);
        let runs = launches
            .iter()
            .enumerate()
            .filter_map(|(i, l)| self.run_launch(&mut executor, root, (i, l), gave_up.as_deref()))
            .collect();
        self.spend_since(before);
        Prepared { executor, gave_up, runs }
    }

    /// What deciding takes, and the launches with what their threads exchange.
    pub(super) fn with_tools(&self, root: &Root, prepared: Prepared<'p>) -> (Vec<Run>, Tools<'p>) {
        let Prepared { executor: e, mut runs, .. } = prepared;
        let sizes = Sizes::of(&e, &runs);
        let mut tools = self.tools(e, root, sizes, Arc::default());
        let until = self.phase(budgets::EXCHANGE, 20);
        tools.decider.until = Some(until);
        what_they_exchange(&mut tools, &mut runs, until);
        tools.decider.until = None;
        (runs, tools)
    }

    /// What deciding takes, with nothing decided yet.
    pub(super) fn tools(&self, e: Executor<'p>, root: &Root, sizes: Sizes, tried: Arc<OnceLock<Tried>>) -> Tools<'p> {
        let mut decider = Decider::new(Limits { work: self.scaled(budgets::FIRST), ..Limits::default() });
        decider.sizes = sizes;
        let judge = Judge::new(self.program, root.clone(), Opened::by(&e), self.options);
        Tools { e, decider, judge, root: root.clone(), tried }
    }

    /// Executes the kernel of one launch.
    fn run_launch(
        &mut self,
        e: &mut Executor<'p>,
        root: &Root,
        (number, l): (usize, &LaunchEvent),
        host_gave_up: Option<&str>,
    ) -> Option<Run> {
        self.launches += 1;
        let kernel = match &l.kernel {
            Ok(k) => *k,
            Err(symbol) => {
                self.report.notes.push(format!("the kernel `{symbol}` is not defined in this program"));
                return None;
            }
        };
        self.kernels.insert(kernel);
        self.launched.insert(kernel);
        let (launch, decided) = specialise::launch(e, l)?;
        let mut facts = cone::conditions(e, &launch);
        facts.extend(e.launch_axioms(&launch.config));
        if self.program.func(root.func).name == "main" {
            let stated = e.assumed_of_inputs(root.func, &cone::mentioned(e, &launch, &facts));
            facts.extend(stated);
        }
        let run = run_within_steps(e, kernel, &launch, &facts);
        if let Some(why) = &run.gave_up {
            self.report
                .notes
                .push(format!("`{}` was not followed to its end: {why}", self.program.func(kernel).display));
        }
        self.unvisited(kernel, &run.accesses, run.gave_up.as_deref());
        let partly = match (&run.gave_up, host_gave_up) {
            (Some(why), _) => Some(format!("the kernel was not followed to its end: {why}")),
            (None, Some(why)) => Some(format!("the host code was not followed to its end: {why}")),
            (None, None) => None,
        };
        let layout = Layout::of(&run);
        Some(Run { launch, decided, number, kernel, run, layout, invariants: Invariants::default(), partly })
    }

    /// Gives every access of its own a little before any gets a lot: a glance at all, then a first look at what that leaves open. What
    /// more effort could change is left for later.
    pub(super) fn first_looks(&mut self, tools: &mut Tools<'p>, runs: &[Run], safe: &SafeAnyway) -> Vec<Open> {
        let usual = tools.decider.limits;
        tools.decider.limits =
            Limits { work: self.scaled(budgets::GLANCE.0).min(usual.work), steps: budgets::GLANCE.1, ..usual };
        let glanced = self.glance(tools, runs, safe);
        tools.decider.limits = usual;
        let mut open: Vec<Open> = vec![];
        let mut open_places: FxHashSet<Place> = FxHashSet::default();
        for o in glanced {
            let (run, event) = (&runs[o.run], &runs[o.run].run.accesses[o.event]);
            if self.counts_as_proved(event) {
                continue;
            }
            // Where another context is open, this one decides nothing alone.
            let look = if open_places.contains(&o.place) || self.is_spent() {
                o.first
            } else {
                self.access(tools, Some(run), event, Effort::First)
            };
            if look.more == More::Nothing {
                self.put(run.kernel, event, run.partial(look.outcome));
                continue;
            }
            open_places.insert(o.place.clone());
            open.push(Open { first: look, ..o });
        }
        open
    }

    /// Decides what takes next to nothing, and gives the rest.
    fn glance(&mut self, tools: &mut Tools<'p>, runs: &[Run], safe: &SafeAnyway) -> Vec<Open> {
        let mut open: Vec<Open> = vec![];
        let mut open_places: FxHashSet<Place> = FxHashSet::default();
        for (r, run) in runs.iter().enumerate() {
            for i in extremes_first(&mut tools.e.arena, &run.run.accesses) {
                let event = &run.run.accesses[i];
                let place = self.place_of(event);
                if !self.is_mine(&place) || self.assumed.skips(&place) {
                    continue;
                }
                if safe.get(&run.kernel).is_some_and(|s| s.contains(&*event.stack))
                    && !run.layout.concerns(event)
                    && !subarray::concerns(&tools.e, event)
                {
                    self.put(run.kernel, event, Outcome::Safe);
                    continue;
                }
                let look = if open_places.contains(&place) || self.is_spent() {
                    Look::none()
                } else {
                    self.access(tools, Some(run), event, Effort::Glance)
                };
                if look.more == More::Nothing {
                    self.put(run.kernel, event, run.partial(look.outcome));
                    continue;
                }
                open_places.insert(place.clone());
                open.push(Open { place, run: r, event: i, first: look });
            }
        }
        open.sort_by_key(|o| (o.run, o.event));
        open
    }

    /// Shares what is left among what is open: first what the solver did not finish, then replays. Gives what more could still change.
    pub(super) fn second_looks(&mut self, tools: &mut Tools<'p>, runs: &[Run], mut open: Vec<Open>) -> Vec<Open> {
        open.sort_by_key(|o| std::cmp::Reverse(o.first.more));
        let mut left = open.len() as u64;
        // Where another context left a place unknown, only a finding is still to be won there.
        let mut queue: VecDeque<(Open, bool)> = open.into_iter().map(|o| (o, false)).collect();
        let mut still = vec![];
        let mut fruitless = 0;
        while let Some((o, waited)) = queue.pop_front() {
            let (run, event) = (&runs[o.run], &runs[o.run].run.accesses[o.event]);
            if self.counts_as_proved(event) {
                left -= 1;
                continue;
            }
            if !waited && self.rank(&self.place_of(event)).is_some_and(|r| r >= Outcome::UNKNOWN) {
                queue.push_back((o, true));
                continue;
            }
            let (first, most) = (self.scaled(budgets::FIRST), self.scaled(budgets::MOST));
            let each = (self.work_left() / left * 2).max(first).min(most);
            // Where models that set what is not known came to nothing several times in a row, the next get less.
            tools.decider.hurried = o.first.more == More::Replay && fruitless >= FRUITLESS;
            tools.decider.limits.work =
                if tools.decider.hurried { each.min(self.scaled(budgets::HURRIED)) } else { each };
            left -= 1;
            let second =
                if self.is_spent() { Look::none() } else { self.access(tools, Some(run), event, Effort::Full) };
            fruitless = if matches!(second.outcome, Outcome::Unknown(_)) { fruitless + 1 } else { 0 };
            let undecided = second.more == More::Work && matches!(second.outcome, Outcome::Unknown(_));
            let outcome = second.outcome.or_first(o.first.outcome);
            if undecided && each < most {
                still.push(Open { first: Look { outcome, more: More::Work }, ..o });
                continue;
            }
            self.put(run.kernel, event, run.partial(outcome));
        }
        tools.decider.hurried = false;
        still
    }

    /// Says of what is open that nothing more was tried.
    pub(super) fn leave_open(&mut self, runs: &[Run], open: Vec<Open>) {
        for o in open {
            self.put(runs[o.run].kernel, &runs[o.run].run.accesses[o.event], runs[o.run].partial(o.first.outcome));
        }
    }

    /// What the host itself does wrong. Only findings are counted: most calls are no accesses that a user would count.
    fn calls(&mut self, tools: &mut Tools<'p>, stale: &[StaleEvent], copies: &[CopyEvent]) {
        if self.assumed.asked.is_some() {
            return;
        }
        for event in stale {
            if self.is_spent() {
                return;
            }
            tools.judge.cut = false;
            if let (Some((place, outcome)), Some(site)) = (lifetime::of_host(tools, event), event.site()) {
                self.put_call(place, site.func, outcome.unless(tools.judge.cut));
            }
        }
        // One call is looked at for each way that leads to it, and each round of a loop.
        let mut spent: FxHashMap<Site, Work> = FxHashMap::default();
        for event in copies {
            if self.is_spent() {
                return;
            }
            let spent = spent.entry(event.side.site).or_default();
            if *spent > CALL_WORK {
                continue;
            }
            let before = done();
            tools.judge.cut = false;
            for (place, outcome) in memcpy::of_host(tools, event) {
                self.put_call(place, event.side.site.func, outcome.unless(tools.judge.cut));
            }
            *spent = *spent + (done() - before);
        }
    }

    fn put_call(&mut self, place: Place, func: FuncRef, outcome: Outcome) {
        match outcome {
            o @ Outcome::Found(_) => self.put_at(place, func, o),
            Outcome::Unknown(why) => {
                let note = format!(
                    "{}:{}:{}: what the call does with `{}` is not decided: {why}",
                    place.0.file, place.0.line, place.0.column, place.1
                );
                if !self.report.notes.contains(&note) {
                    self.report.notes.push(note);
                }
            }
            Outcome::Safe | Outcome::SafeIfNoWrap(_) => {}
        }
    }

    /// What a kernel accesses at addresses that are not aligned.
    fn unaligned_in(&mut self, tools: &mut Tools<'p>, run: &Run) {
        if self.assumed.asked.is_some() {
            return;
        }
        for event in &run.run.unaligned {
            if self.is_spent() {
                return;
            }
            let Some(place) = alignment::place(tools, event) else { continue };
            if self.rank(&place) == Some(Outcome::PROVED) {
                continue;
            }
            tools.judge.cut = false;
            if let Some(outcome) = alignment::of_kernel(tools, &run.launched(), event, place.clone()) {
                self.put_call(place, run.kernel, outcome.unless(tools.judge.cut));
            }
        }
    }

    /// What a kernel does with freed memory. One finding at each place is enough.
    fn stale_in(&mut self, tools: &mut Tools<'p>, run: &Run) {
        if self.assumed.asked.is_some() {
            return;
        }
        let launched = run.launched();
        let mut tried: FxHashMap<Place, usize> = FxHashMap::default();
        for event in &run.run.stale {
            let Some((place, _)) = lifetime::place_in_kernel(tools, &launched, event) else { continue };
            let times = tried.entry(place.clone()).or_default();
            *times += 1;
            if self.is_spent() || *times > STALE_TRIES || self.rank(&place) == Some(Outcome::PROVED) {
                continue;
            }
            tools.judge.cut = false;
            let Some((place, outcome)) = lifetime::of_kernel(tools, &launched, event) else { continue };
            self.put_call(place, run.kernel, outcome.unless(tools.judge.cut));
        }
    }

    /// Accesses of a kernel, by their call stacks, that are safe whatever it is launched with: indices of local arrays and
    /// the like need not be looked at again for each of its launches.
    fn safe_under_any_launch(&mut self, kernel: FuncRef) -> FxHashSet<Vec<Site>> {
        self.all = self.phase(budgets::ANY_LAUNCH, 10);
        let (mut e, run) = self.any_launch(kernel);
        if run.gave_up.is_some() {
            return FxHashSet::default();
        }
        let mut decider = Decider::new(Limits { work: self.scaled(budgets::FIRST) / 2, ..Limits::default() });
        let (mut safe, mut open): (FxHashSet<Vec<Site>>, FxHashSet<Vec<Site>>) = Default::default();
        for ev in &run.accesses {
            if open.contains(&*ev.stack) || self.is_spent() {
                open.insert(ev.stack.to_vec());
                continue;
            }
            let all = ev.targets.iter().all(|t| {
                let facts = e.arena.and(ev.path, t.cond);
                if e.arena.as_bool(facts) == Some(false) {
                    return true;
                }
                let Base::Object(o) = t.base else { return false };
                let Some(extent) = e.object(o).extent else { return false };
                matches!(
                    decider
                        .decide_roughly(&mut e.arena, &Obligation { facts, offset: t.offset, bytes: ev.bytes, extent }),
                    Decision::Safe
                )
            });
            if all {
                safe.insert(ev.stack.to_vec());
            } else {
                open.insert(ev.stack.to_vec());
            }
        }
        safe.retain(|s| !open.contains(s));
        for ev in run.accesses.iter().filter(|ev| safe.contains(&*ev.stack)) {
            let place = self.place_of(ev);
            self.assumed.note(&e, &place, ev);
        }
        safe
    }

    /// A kernel executed under an arbitrary launch.
    fn any_launch(&self, kernel: FuncRef) -> (Executor<'p>, KernelRun) {
        let mut e = self.executor();
        let name = self.program.func(kernel).name.clone();
        let config = e.unknown_launch(&name);
        let args = e.unknown_arguments(kernel);
        let mut state = e.initial_state();
        for a in &args {
            e.ensure_pointees(&mut state, a);
        }
        let site = Site { func: kernel, block: crate::ir::BlockId(0), inst: 0 };
        let l = LaunchEvent {
            site,
            stack: std::rc::Rc::new(vec![]),
            kernel: Ok(kernel),
            config,
            args,
            memory: state.mem,
            path: state.path,
            always: state.always,
        };
        let facts = e.launch_axioms(&l.config);
        let run = run_within_steps(&mut e, kernel, &l, &facts);
        (e, run)
    }

    /// A place already proved to be wrong is not looked at again.
    fn counts_as_proved(&mut self, ev: &AccessEvent) -> bool {
        let place = self.place_of(ev);
        let Some((Outcome::Found(f), _, n)) = self.places.get_mut(&place) else { return false };
        if f.verdict != Verdict::Proved || f.degenerate {
            return false;
        }
        *n += 1;
        true
    }

    /// A kernel without a known launch: only what holds for every launch is said.
    fn run_idle(&mut self, kernel: FuncRef) {
        self.kernels.insert(kernel);
        let (e, run) = self.any_launch(kernel);
        let root = Root { func: kernel, trusted: false };
        let mut tools = self.tools(e, &root, Sizes::default(), Arc::default());
        tools.decider.limits.work = self.scaled(Work::seconds(1));
        for ev in &run.accesses {
            let place = self.place_of(ev);
            if self.assumed.skips(&place) {
                continue;
            }
            self.assumed.note(&tools.e, &place, ev);
            let outcome = match (self.access(&mut tools, None, ev, Effort::First).outcome, &self.lost) {
                (Outcome::Found(_) | Outcome::Unknown(_), Some(why)) => Outcome::Unknown(format!(
                    "no launch of this kernel is known: the host code was not followed to its end ({why})"
                )),
                (Outcome::Found(_), None) => Outcome::Unknown("no launch of this kernel is known".into()),
                // An extent that is not known says as much itself.
                (Outcome::Unknown(why), None) if !why.ends_with(NO_CALLER) => {
                    Outcome::Unknown(format!("no launch of this kernel is known: {why}"))
                }
                (o, _) => o,
            };
            self.put(kernel, ev, outcome);
        }
        self.unvisited(kernel, &run.accesses, run.gave_up.as_deref());
    }

    pub(super) fn put(&mut self, kernel: FuncRef, ev: &AccessEvent, outcome: Outcome) {
        let (loc, array) = self.place_of(ev);
        self.put_at((loc, array), kernel, outcome);
    }

    pub(super) fn put_at(&mut self, place: Place, kernel: FuncRef, outcome: Outcome) {
        let display = self.program.func(kernel).display.clone();
        match self.places.get_mut(&place) {
            None => {
                self.places.insert(place, (outcome, display, 1));
            }
            Some((old, _, n)) => {
                if outcome.is_finding() && old.is_finding() {
                    *n += 1;
                }
                if outcome.outweighs(old) {
                    *old = outcome;
                }
            }
        }
    }

    /// Source position (of the innermost call outside system headers) and array.
    pub(super) fn place_of(&self, ev: &AccessEvent) -> Place {
        let site = ev
            .stack
            .iter()
            .rev()
            .copied()
            .find(|s| {
                let l = loc_of(self.program, *s);
                l.line > 0 && !l.system
            })
            .unwrap_or(ev.site);
        let text = wording::side(self.program, site, ev.kind);
        (loc_of(self.program, site), text.array)
    }

    fn access(&self, tools: &mut Tools<'p>, launch: Option<&Run>, ev: &AccessEvent, effort: Effort) -> Look {
        tools.judge.cut = false;
        let look = self.access_in_each(tools, launch, ev, effort);
        // A replay that had less than it may have says nothing.
        if tools.judge.cut && !look.outcome.is_final() { Look::none() } else { look }
    }

    fn access_in_each(&self, tools: &mut Tools<'p>, launch: Option<&Run>, ev: &AccessEvent, effort: Effort) -> Look {
        let mut looks = vec![];
        for t in ev.targets.iter() {
            let facts = tools.e.arena.and(ev.path, t.cond);
            if tools.e.arena.as_bool(facts) == Some(false) {
                continue;
            }
            looks.push(match &t.base {
                Base::Null | Base::Unknown(_) if effort == Effort::Glance => Look::put_off(),
                Base::Object(o) if effort == Effort::Glance && pointer::is_hosts_own(tools, *o) => Look::put_off(),
                Base::Object(o) => {
                    let object = tools.e.object(*o).clone();
                    let look = self.in_object(tools, launch, ev, effort, &object, facts, t);
                    self.in_hosts_memory(tools, launch, ev, *o, facts, t.offset).unwrap_or(look)
                }
                Base::Null => Look::of(self.through_null(tools, launch, ev, facts, t.offset)),
                Base::Func(_) => Look::of(Outcome::Unknown("a pointer to a function".into())),
                Base::Unknown(lost) if lost.unset => Look::of(self.through_unset(tools, launch, ev, facts, lost)),
                Base::Unknown(lost) => Look::of(
                    if ev.targets.len() > 1 { never(tools, facts) } else { None }
                        .unwrap_or_else(|| Outcome::Unknown(format!("the pointer is {lost}"))),
                ),
            });
        }
        Look::worst(looks)
    }

    fn through_null(
        &self,
        tools: &mut Tools<'p>,
        run: Option<&Run>,
        ev: &AccessEvent,
        facts: TermId,
        offset: TermId,
    ) -> Outcome {
        match run {
            Some(run) if self.assumed.asked.is_none() && !self.is_spent() => {
                pointer::null_in_kernel(tools, &run.launched(), ev, facts, offset, self.place_of(ev))
            }
            _ => Outcome::Unknown("a null pointer".into()),
        }
    }

    fn through_unset(
        &self,
        tools: &mut Tools<'p>,
        run: Option<&Run>,
        ev: &AccessEvent,
        facts: TermId,
        lost: &Lost,
    ) -> Outcome {
        let found = run
            .filter(|_| self.assumed.asked.is_none() && !self.is_spent())
            .map(|run| self.unset(tools, run, ev, facts));
        match found {
            Some(Outcome::Unknown(_)) | None => Outcome::Unknown(format!("the pointer is {lost}")),
            Some(found) => found,
        }
    }

    /// An access to what only the host may use, whatever the bounds; `None` where that is no finding.
    fn in_hosts_memory(
        &self,
        tools: &mut Tools<'p>,
        run: Option<&Run>,
        ev: &AccessEvent,
        o: ObjId,
        facts: TermId,
        offset: TermId,
    ) -> Option<Look> {
        let run =
            run.filter(|_| self.assumed.asked.is_none() && pointer::is_hosts_own(tools, o) && !self.is_spent())?;
        let object = tools.e.object(o).clone();
        let extent = object.extent.unwrap_or(ev.bytes);
        let ob = Obligation { facts, offset, bytes: ev.bytes, extent };
        pointer::hosts_in_kernel(tools, &run.launched(), ev, &object, &ob, self.place_of(ev)).map(Look::of)
    }

    #[expect(clippy::too_many_arguments, reason = "one access in its whole context")]
    fn in_object(
        &self,
        tools: &mut Tools<'p>,
        launch: Option<&Run>,
        ev: &AccessEvent,
        effort: Effort,
        object: &Object,
        facts: TermId,
        target: &Target,
    ) -> Look {
        let Some(extent) = object.extent else {
            let caller = if matches!(object.kind, ObjKind::Parameter) { NO_CALLER } else { "" };
            return Look::of(Outcome::Unknown(format!("the extent of `{}` is not known{caller}", object.name)));
        };
        if self.is_spent() {
            return Look { outcome: Outcome::Unknown(SPENT.into()), more: More::Work };
        }
        let (ob, exchanged) = obligation(tools, launch, ev, facts, target, extent);
        let (facts, extent) = (ob.facts, ob.extent);
        let mut unknowns = cone::unknowns(&tools.e, &[ob.offset, ob.extent, ob.bytes]);
        for which in cone::choices(&tools.e, target.cond) {
            if !unknowns.contains(&which) {
                unknowns.push(which);
            }
        }
        // What small inputs show takes no search. With several targets it takes a model to tell which is meant.
        if let Some(run) =
            launch.filter(|_| effort == Effort::Full && ev.targets.len() == 1 && self.assumed.asked.is_none())
            && let Some(found) = self.seen(tools, run, ev, object, &ob, &unknowns)
        {
            return Look::of(found);
        }
        // Where no launch is known, a model is nothing to show.
        let rough = launch.is_none() || effort == Effort::Glance || effort == Effort::First && !unknowns.is_empty();
        let decision = if rough {
            tools.decider.decide_roughly(&mut tools.e.arena, &ob)
        } else {
            tools.decider.decide(&mut tools.e.arena, &ob)
        };
        if effort == Effort::Glance && !matches!(decision, Decision::Safe | Decision::SafeIfNoWrap(_)) {
            return Look::put_off();
        }
        // What the kernel itself stores takes a long look, or the only one.
        let open = matches!(decision, Decision::Fails { .. } | Decision::Unknown(_))
            && (effort == Effort::Full || unknowns.is_empty());
        let other = launch.filter(|_| open).and_then(|run| self.with_stores(tools, run, &ob));
        let exchanged = exchanged || other.is_some();
        let decision = other.unwrap_or(decision);
        let look = match decision {
            Decision::Safe | Decision::SafeIfNoWrap(_) => {
                let mut ops = if let Decision::SafeIfNoWrap(ops) = decision { ops } else { vec![] };
                if let Some(run) = launch.filter(|_| exchanged) {
                    for op in run.invariants.operations() {
                        if !ops.contains(op) {
                            ops.push(op.clone());
                        }
                    }
                }
                Look::of(if ops.is_empty() { Outcome::Safe } else { Outcome::SafeIfNoWrap(ops) })
            }
            Decision::Unknown(why) => Look::of(Outcome::Unknown(why)),
            Decision::Fails { model, mode, degenerate } => match (launch, unknowns.first()) {
                (_, _) if self.assumed.asked.is_some() => {
                    Look::of(Outcome::Unknown("not safe without what is assumed".into()))
                }
                (None, _) => Look::of(Outcome::Unknown("no launch of this kernel is known".into())),
                (Some(_), Some(u)) if effort == Effort::First => {
                    Look { outcome: Outcome::Unknown(u.clone()), more: More::Replay }
                }
                (Some(run), _) => {
                    let outcome =
                        self.replayed(tools, run, ev, object, &ob, &model, mode, degenerate, unknowns.clone());
                    let again = if matches!(outcome, Outcome::Unknown(_)) {
                        self.on_the_whole_way(tools, run, ev, object, &ob, unknowns)
                    } else {
                        None
                    };
                    Look::of(again.unwrap_or(outcome))
                }
            },
        };
        let look = if tools.decider.cut { Look { more: More::Work, ..look } } else { look };
        match launch {
            Some(run) if look.outcome.is_safe() => {
                if effort == Effort::Glance && (run.layout.concerns(ev) || subarray::concerns(&tools.e, ev)) {
                    return Look::put_off();
                }
                let part = self.in_part(tools, run, ev, effort, object, target, facts, extent);
                let row = self.in_rows(tools, run, ev, effort, object, target, facts, extent);
                Look::worst([look, part, row])
            }
            _ => look,
        }
    }

    /// What more there is to say of an access of which a model came to nothing: all conditions of the way to the launch count now, also
    /// those that have nothing to do with what it is given.
    fn on_the_whole_way(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        object: &Object,
        ob: &Obligation,
        unknowns: Vec<String>,
    ) -> Option<Outcome> {
        if self.is_spent() {
            return None;
        }
        let mut all = vec![ob.facts, run.launch.path];
        all.extend(run.launch.always.iter().map(|x| x.of_the_ends(&mut tools.e.arena)));
        let facts = tools.e.arena.and_all(all);
        if facts == ob.facts {
            return None;
        }
        let ob = Obligation { facts, ..ob.clone() };
        let decision = tools.decider.decide(&mut tools.e.arena, &ob);
        match decision {
            Decision::Safe | Decision::SafeIfNoWrap(_) => {
                let mut ops = if let Decision::SafeIfNoWrap(ops) = decision { ops } else { vec![] };
                for op in run.invariants.operations() {
                    if !ops.contains(op) {
                        ops.push(op.clone());
                    }
                }
                Some(if ops.is_empty() { Outcome::Safe } else { Outcome::SafeIfNoWrap(ops) })
            }
            Decision::Unknown(_) => None,
            Decision::Fails { model, mode, degenerate } => {
                Some(self.replayed(tools, run, ev, object, &ob, &model, mode, degenerate, unknowns))
                    .filter(Outcome::is_finding)
            }
        }
    }

    /// As [`Decider::decide`], where what is read of memory that the kernel writes is what was there at the launch, or what it stores.
    fn with_stores(&self, tools: &mut Tools<'p>, run: &Run, ob: &Obligation) -> Option<Decision> {
        let extent = |e: &mut Executor<'_>, o: ObjId| {
            let extent = e.object(o).extent?;
            Some(run.decided.term(&mut e.arena, extent))
        };
        let exchange = Exchange { launch: &run.launch, run: &run.run, extent: &extent };
        let stored = exchange.facts(tools, &[ob.facts, ob.offset])?;
        let bounds = run.invariants.facts(&mut tools.e, &[stored]);
        let checked = quantified_facts::instances(&mut tools.e.arena, &run.launch.always, &[stored]);
        let sums = prefix_sum::instances(&mut tools.e.arena, &[ob.facts, ob.offset, ob.extent, stored]);
        let facts =
            tools.e.arena.and_all([ob.facts, stored].into_iter().chain(bounds).chain(checked).chain(sums).collect());
        match tools.decider.decide(&mut tools.e.arena, &Obligation { facts, ..ob.clone() }) {
            Decision::Unknown(_) => None,
            decided => Some(decided),
        }
    }

    fn finish(mut self, start: Instant) -> ProgramReport {
        let mut s = Summary {
            programs: 1,
            kernels: u32::try_from(self.kernels.len()).unwrap_or(0),
            launches: self.launches,
            ..Summary::default()
        };
        for ((loc, array), (outcome, kernel, n)) in self.places {
            s.accesses += 1;
            let standing = match outcome {
                Outcome::Safe | Outcome::SafeIfNoWrap(_) => Standing::Safe,
                Outcome::Unknown(_) => Standing::Open,
                Outcome::Found(ref f) if f.rule == Rule::IndexOverflow => Standing::Safe,
                Outcome::Found(_) => Standing::Found,
            };
            let position = Position { file: loc.file.clone(), line: loc.line, column: loc.column };
            self.report.places.push(super::Place { position, kernel: kernel.clone(), array: array.clone(), standing });
            let place = (loc.clone(), array.clone());
            if self.assumed.resting.contains(&place) {
                s.safe_assuming += 1;
                self.report.notes.push(format!(
                    "{}:{}:{}: `{array}` {}",
                    loc.file,
                    loc.line,
                    loc.column,
                    self.assumed.words(&place)
                ));
            }
            match outcome {
                Outcome::Safe => s.safe += 1,
                Outcome::SafeIfNoWrap(ops) => {
                    s.safe_if_no_wrap += 1;
                    self.report.notes.push(format!(
                        "{}:{}:{}: `{array}` is safe if {} does not wrap",
                        loc.file,
                        loc.line,
                        loc.column,
                        ops.join(" and ")
                    ));
                }
                Outcome::Unknown(reason) => {
                    s.unknown += 1;
                    self.report.undecided.push(Undecided {
                        position: Position { file: loc.file, line: loc.line, column: loc.column },
                        kernel,
                        array,
                        code: Code::of(&reason),
                        reason,
                    });
                }
                Outcome::Found(mut f) => {
                    if f.verdict == Verdict::Proved {
                        s.proved += 1;
                    } else {
                        s.possible += 1;
                    }
                    f.occurrences = n;
                    self.report.findings.push(*f);
                }
            }
        }
        s.seconds = start.elapsed().as_secs_f64();
        s.work = self.spent.get();
        self.report.summary = s;
        self.report
    }
}
