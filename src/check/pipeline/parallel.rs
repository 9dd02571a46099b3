//! Several threads that share the work of one check; the results are the same for any number of threads.
//!
//! The decisions for a root are divided into tasks in advance: positions in their order, a few dozen each. Every task
//! starts from the executed root and its launches, with its own memory of proofs, models and replays, and with its
//! own allotment. So its outcome does not depend on the thread that runs it, nor on the time, and the results are
//! combined in task order. The number of threads affects only the running time.
//!
//! Terms belong to one thread: a helping thread first executes the root itself, which gives it the same terms, or
//! takes whole roots. A root whose execution takes much of the memory gets fewer helpers.

use super::Engine;
use super::budgets;
use super::first_pass::PendingAccess;
use super::prepare::PreparedRoot;
use crate::context::{ArrayPosition, ExecutedLaunch, PositionDecisions, RootTools};
use crate::counterexample::degenerate::Sizes;
use crate::counterexample::tried::TrialResults;
use crate::obligations::verdict::AccessVerdict;
use crate::options::STACK;
use crate::rules;
use crate::solver::cache;
use base::inside;
use base::nets;
use base::reasons::UnknownReason;
use base::work::{Allotment, Work, done, settle};
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::limits::budget::resident;
use ir::FuncRef;
use library::host::HostRoot;
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use witness::RunBudget;

/// Positions of one first-look task and of one second-look task, and the most tasks of each kind: a task does not
/// know the proofs of others.
const FIRST_PLACES: usize = 24;
const SECOND_PLACES: usize = 6;
const MAX_TASKS: usize = 8;

/// Positions below which another thread would finish executing the root only when no work is left.
const ENOUGH: usize = 12;

/// Index of the task that decides each position.
pub(crate) type PositionOwners = FxHashMap<ArrayPosition, usize>;

/// Accesses that need not be decided again for each launch, by kernel.
#[derive(Debug, Default)]
pub(crate) struct SafeAnyway {
    /// Call stacks of accesses that are safe under every launch.
    pub stacks: FxHashMap<FuncRef, FxHashSet<Vec<Site>>>,
}

impl SafeAnyway {
    /// Returns the outcome of an access that needs no look.
    pub fn outcome(
        &self,
        e: &Executor<'_>,
        run: &ExecutedLaunch,
        event: &AccessEvent,
        place: &ArrayPosition,
    ) -> Option<AccessVerdict> {
        if self.stacks.get(&run.kernel).is_some_and(|all| all.contains(&*event.stack)) && !rules::concern(e, run, event)
        {
            return Some(AccessVerdict::Safe);
        }
        // Where the host was not followed to its end, there may be launches that the summaries do not know.
        let outcome = run.summaries.as_ref()?.get()?.final_outcome(run.kernel, run.number, place)?;
        Some(run.partial(place, outcome))
    }
}

/// Properties that two executions of one root must share for one to decide positions of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExecutionShape {
    gave_up: Option<UnknownReason>,
    accesses: Vec<usize>,
}

impl ExecutionShape {
    fn of(prepared: &PreparedRoot<'_>) -> Self {
        Self {
            gave_up: prepared.gave_up.clone(),
            accesses: prepared.runs.iter().map(|r| r.run.accesses.len()).collect(),
        }
    }
}

/// A task: accesses at the positions that it owns, within an allotment.
enum Task {
    First {
        who: usize,
        work: Work,
    },
    /// `decided` holds known outcomes of these positions; `replays` is the budget of one replay if some took long
    /// before.
    Second {
        open: Vec<PendingAccess>,
        decided: PositionDecisions,
        work: Work,
        replays: Option<RunBudget>,
    },
}

/// Result of a task.
struct TaskResult {
    places: PositionDecisions,
    open: Vec<PendingAccess>,
    spent: Work,
    replays: RunBudget,
}

/// An executed root, from which every task begins.
struct TaskContext<'p> {
    root: HostRoot,
    runs: Vec<ExecutedLaunch>,
    tools: RootTools<'p>,
    sizes: Sizes,
    tried: Arc<OnceLock<TrialResults>>,
}

impl<'p> TaskContext<'p> {
    fn new(
        engine: &Engine<'p>,
        root: &HostRoot,
        prepared: PreparedRoot<'p>,
        tried: Arc<OnceLock<TrialResults>>,
    ) -> Self {
        let (runs, tools) = engine.with_tools(root, prepared);
        Self { root: root.clone(), runs, sizes: tools.decider.sizes.clone(), tools, tried }
    }

    /// Runs `work` with tools that remember nothing, and undoes its changes.
    fn afresh<R>(
        &mut self,
        engine: &mut Engine<'p>,
        work: impl FnOnce(&mut Engine<'p>, &mut RootTools<'p>, &[ExecutedLaunch]) -> R,
    ) -> R {
        // Terms are by far the largest part of the executor: they are lent.
        let arena = std::mem::take(&mut self.tools.e.arena);
        let mut e = self.tools.e.clone();
        e.arena = arena;
        e.own_linear_work();
        let mark = e.arena.mark();
        for run in &self.runs {
            run.decided.clear_terms();
        }
        let mut tools = engine.tools(e, &self.root, self.sizes.clone(), self.tried.clone());
        (tools.launches, tools.call) = (self.tools.launches.clone(), self.tools.call.clone());
        let out = work(engine, &mut tools, &self.runs);
        let mut arena = std::mem::take(&mut tools.e.arena);
        arena.rewind(mark);
        for run in &self.runs {
            run.decided.clear_terms();
        }
        self.tools.e.arena = arena;
        out
    }

    fn perform(
        &mut self,
        mut engine: Engine<'p>,
        owners: &Arc<PositionOwners>,
        safe: &SafeAnyway,
        order: Task,
    ) -> TaskResult {
        cache::begin_task();
        let begun = done();
        let (open, replays) = self.afresh(&mut engine, |engine, tools, runs| {
            let open = match order {
                Task::First { who, work } => {
                    (engine.own, engine.cx) = (Some((owners.clone(), who)), engine.cx.within(Allotment::of(work)));
                    inside::timed(inside::CheckPhase::FirstLooks, || engine.first_looks(tools, runs, safe))
                }
                Task::Second { open, decided, work, replays } => {
                    if let Some(most) = replays {
                        tools.judge.begin_with(most);
                    }
                    (engine.places, engine.cx) = (decided, engine.cx.within(Allotment::of(work)));
                    inside::timed(inside::CheckPhase::SecondLooks, || engine.second_looks(tools, runs, open));
                    vec![]
                }
            };
            (open, tools.judge.limits())
        });
        let spent = done() - begun;
        // The tasks' results carry their cost, since this thread runs only some of them.
        settle(begun, Work::NONE);
        cache::begin_task();
        TaskResult { places: engine.places, open, spent, replays }
    }
}

/// Tasks and their results.
#[derive(Default)]
struct TaskBoard {
    queue: VecDeque<(usize, Task)>,
    running: usize,
    done: Vec<(usize, TaskResult)>,
    /// Set when no more tasks will come.
    closed: bool,
    panic: Option<Box<dyn Any + Send>>,
}

#[derive(Default)]
struct TaskThreads {
    board: Mutex<TaskBoard>,
    changed: Condvar,
    over: Arc<AtomicBool>,
}

impl TaskThreads {
    fn board(&self) -> MutexGuard<'_, TaskBoard> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs tasks until there are none; `wait`: until the board is closed.
    fn take(&self, wait: bool, mut perform: impl FnMut(Task) -> TaskResult) {
        let mut board = self.board();
        loop {
            if let Some((number, order)) = board.queue.pop_front() {
                board.running += 1;
                drop(board);
                let outcome = catch_unwind(AssertUnwindSafe(|| perform(order)));
                board = self.board();
                board.running -= 1;
                match outcome {
                    Ok(done) => board.done.push((number, done)),
                    Err(panic) => {
                        board.panic = Some(panic);
                        board.closed = true;
                        board.queue.clear();
                    }
                }
                self.changed.notify_all();
            } else if board.closed || !wait {
                return;
            } else {
                board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Runs all of some tasks, in this thread too; returns their results in order.
    fn all(&self, orders: Vec<Task>, perform: impl FnMut(Task) -> TaskResult) -> Vec<TaskResult> {
        self.board().queue.extend(orders.into_iter().enumerate());
        self.changed.notify_all();
        self.take(false, perform);
        let mut board = self.board();
        while board.running > 0 {
            board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(panic) = board.panic.take() {
            drop(board);
            resume_unwind(panic);
        }
        let mut done = std::mem::take(&mut board.done);
        done.sort_by_key(|(n, _)| *n);
        done.into_iter().map(|(_, d)| d).collect()
    }

    fn close(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.board().closed = true;
        self.changed.notify_all();
    }
}

/// Closes the crew's board even on a panic: otherwise the helpers would wait for ever.
struct BoardCloser<'c>(&'c TaskThreads);

impl Drop for BoardCloser<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<'p> Engine<'p> {
    /// Returns an engine for another thread or task, with this engine's knowledge of the program.
    pub(super) fn helper(&self) -> Self {
        let mut other = self.again();
        (other.threads, other.lost, other.summaries) = (1, self.lost.clone(), self.summaries.clone());
        other.unfollowed = self.unfollowed.clone();
        other.never_launched = self.never_launched.clone();
        other.ask_only(self.assumed.asked.clone(), self.cx.without);
        other
    }

    /// Decides all accesses of a root; returns the launches and the tools.
    pub(crate) fn decide_all(
        &mut self,
        root: &HostRoot,
        prepared: PreparedRoot<'p>,
        safe: &SafeAnyway,
    ) -> (Vec<ExecutedLaunch>, RootTools<'p>) {
        cache::begin_task();
        let (shape, before) = (ExecutionShape::of(&prepared), done());
        let mut desk = TaskContext::new(self, root, prepared, Arc::default());
        let mut places: Vec<ArrayPosition> = vec![];
        let mut seen: FxHashMap<ArrayPosition, usize> = FxHashMap::default();
        for run in &desk.runs {
            self.assumed.note_asserts(&desk.tools.e, run);
            for event in &run.run.accesses {
                let place = self.cx.place_of(event);
                if self.assumed.skips(&place) {
                    continue;
                }
                self.assumed.note(&desk.tools.e, &place, event);
                *seen.entry(place.clone()).or_insert_with(|| {
                    places.push(place);
                    0
                }) += 1;
            }
        }
        let tasks = places.len().div_ceil(FIRST_PLACES).clamp(1, MAX_TASKS);
        let owner = |i: usize| i * tasks / places.len().max(1);
        let mut weight = vec![0u64; tasks];
        for (i, p) in places.iter().enumerate() {
            weight[owner(i)] += seen[p] as u64;
        }
        let owners: Arc<PositionOwners> =
            Arc::new(places.iter().enumerate().map(|(i, p)| (p.clone(), owner(i))).collect());
        let all: u64 = weight.iter().sum::<u64>().max(1);
        self.spend_since(before);
        let budget = self.cx.phase_work(budgets::FIRST_LOOKS, 70);
        let firsts = weight.iter().enumerate().map(|(who, w)| Task::First { who, work: budget / all * *w }).collect();

        let crew = TaskThreads::default();
        let helpers = if places.len() < ENOUGH { 0 } else { self.threads - 1 };
        let helpers = affordable(helpers, self.cx.options.memory, resident());
        let tried = desk.tried.clone();
        let this: &Self = self;
        let (settled, open, spent) = std::thread::scope(|scope| {
            let _room = StackAllowance::new(helpers);
            let closing = BoardCloser(&crew);
            for _ in 0..helpers {
                let (crew, owners, shape, tried) = (&crew, &owners, &shape, tried.clone());
                start(scope, move || {
                    let mut other = this.helper();
                    other.over = Some(crew.over.clone());
                    other.cx.spent = Work::NONE;
                    cache::begin_task();
                    let prepared = other.prepare(root);
                    // The execution differs from the first, which only a safety net can cause, or no work is left.
                    if ExecutionShape::of(&prepared) != *shape {
                        return;
                    }
                    let mut desk = TaskContext::new(&other, root, prepared, tried);
                    crew.take(true, |order| desk.perform(this.helper(), owners, safe, order));
                });
            }
            let mut perform = |order| desk.perform(this.helper(), &owners, safe, order);
            let first = CombinedResults::of(crew.all(firsts, &mut perform));
            let CombinedResults { places: mut settled, mut open, mut spent, replays } = first;
            let second = this.cx.phase_work(budgets::SECOND_LOOKS, 100);
            let left = (second + (budget - spent)).min(this.cx.total - this.cx.spent - spent);
            if !open.is_empty() && !this.cx.looks_once() {
                let phase = CombinedResults::of(crew.all(second_orders(open, &settled, left, replays), &mut perform));
                settled.extend(phase.places);
                (open, spent) = (phase.open, spent + phase.spent);
            }
            drop(closing);
            (settled, open, spent)
        });
        self.cx.spent = self.cx.spent + spent;
        self.absorb_settled(settled);
        self.record_undecided(&desk.runs, open);
        (desk.runs, desk.tools)
    }

    fn absorb_settled(&mut self, settled: PositionDecisions) {
        let mut other = self.again();
        other.places = settled;
        self.absorb_places(other);
    }

    /// Whether this engine decides a position.
    pub(crate) fn is_mine(&self, place: &ArrayPosition) -> bool {
        self.own.as_ref().is_none_or(|(owners, who)| owners.get(place) == Some(who))
    }
}

/// Combined results of all tasks of one kind.
struct CombinedResults {
    places: PositionDecisions,
    open: Vec<PendingAccess>,
    spent: Work,
    replays: Option<RunBudget>,
}

impl CombinedResults {
    fn of(done: Vec<TaskResult>) -> Self {
        let mut all = Self { places: PositionDecisions::new(), open: vec![], spent: Work::NONE, replays: None };
        for d in done {
            all.places.extend(d.places);
            all.open.extend(d.open);
            all.spent = all.spent + d.spent;
            if all.replays.is_none_or(|b| d.replays.work < b.work) {
                all.replays = Some(d.replays);
            }
        }
        all
    }
}

/// Returns tasks for undecided accesses, each with its share of the remaining work.
fn second_orders(
    open: Vec<PendingAccess>,
    settled: &PositionDecisions,
    left: Work,
    replays: Option<RunBudget>,
) -> Vec<Task> {
    let mut numbers: FxHashMap<ArrayPosition, usize> = FxHashMap::default();
    for o in &open {
        let next = numbers.len();
        numbers.entry(o.place.clone()).or_insert(next);
    }
    let tasks = numbers.len().div_ceil(SECOND_PLACES).clamp(1, MAX_TASKS);
    let (places, all) = (numbers.len().max(1), open.len().max(1) as u64);
    let mut parts: Vec<(Vec<PendingAccess>, PositionDecisions)> = (0..tasks).map(|_| Default::default()).collect();
    for o in open {
        let (open, decided) = &mut parts[numbers[&o.place] * tasks / places];
        if let Some(known) = settled.get(&o.place) {
            decided.insert(o.place.clone(), known.clone());
        }
        open.push(o);
    }
    parts
        .into_iter()
        .map(|(open, decided)| Task::Second { work: left / all * open.len() as u64, open, decided, replays })
        .collect()
}

/// Returns how many of these helpers fit into `most` bytes of memory: each executes the root itself, which takes
/// about as much as this process has now.
fn affordable(helpers: usize, most: Option<u64>, now: Option<u64>) -> usize {
    let Some((most, now)) = most.zip(now) else { return helpers };
    let executions = usize::try_from(most / now.max(1)).unwrap_or(usize::MAX);
    helpers.min(executions.saturating_sub(1))
}

/// Guard that, while it lives, raises this process's data limit by the stacks of its threads, which that limit counts
/// in full.
pub(super) struct StackAllowance {
    before: Rlimit,
}

impl StackAllowance {
    pub(super) fn new(threads: usize) -> Self {
        let before = getrlimit(Resource::Data);
        let wanted = before.current.map(|now| now.saturating_add((STACK * threads) as u64));
        let current = wanted.map(|w| before.maximum.map_or(w, |m| m.min(w)));
        // Without it no threads start, which only takes longer.
        if threads > 0 {
            let _ = setrlimit(Resource::Data, Rlimit { current, maximum: before.maximum });
        }
        Self { before }
    }
}

impl Drop for StackAllowance {
    fn drop(&mut self) {
        let _ = setrlimit(Resource::Data, self.before);
    }
}

/// Starts a thread; `None` where the system cannot start one, or lacks memory for it.
pub(super) fn start<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Option<ScopedJoinHandle<'s, T>> {
    let (recall, nets, watch) = (cache::shared(), nets::current(), inside::current());
    let name = std::thread::current().name().map(str::to_owned);
    let builder = Builder::new().stack_size(STACK);
    name.into_iter()
        .fold(builder, Builder::name)
        .spawn_scoped(scope, move || inside::with(watch, || cache::with(recall, || nets::under(nets, work))))
        .ok()
}

/// Returns the result of a thread; its panic continues here.
pub(super) fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::affordable;

    #[test]
    fn no_more_threads_execute_a_root_than_memory_has_room_for() {
        assert_eq!((affordable(3, Some(100), Some(20)), affordable(3, Some(100), Some(40))), (3, 1));
        assert_eq!((affordable(3, Some(100), Some(51)), affordable(3, Some(100), Some(200))), (0, 0));
        assert_eq!(
            (affordable(3, None, Some(200)), affordable(3, Some(100), None), affordable(0, Some(9), Some(0))),
            (3, 3, 0)
        );
    }
}
