//! Several threads that share the work of one check.
//!
//! Terms belong to one thread. So a thread that helps executes for itself what it is to decide: roots and kernels of its own where
//! there are many, or else the one root again, of which it then takes accesses that no other has taken. Each place is decided by one
//! thread, in the way in which one alone would do it.

use super::engine::{Engine, Place, Prepared};
use crate::check::solver::recall;
use crate::host::Root;
use crate::ir::FuncRef;
use crate::symbolic::exec::Site;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Places below which another thread would have executed the root when there is nothing left to do.
const ENOUGH: usize = 12;

/// Who decides which place of one root.
#[derive(Debug, Default)]
pub(super) struct Claims {
    owners: Mutex<FxHashMap<Place, usize>>,
    /// Nothing is left: who did not begin yet need not.
    pub over: Arc<AtomicBool>,
}

/// One thread's view of them.
#[derive(Clone, Debug)]
pub(super) struct Share { claims: Arc<Claims>, who: usize }

impl Share {
    /// Whether a place is this thread's. One that nobody has is from now on.
    pub fn is_mine(&self, place: &Place) -> bool {
        let mut owners = self.claims.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match owners.get(place) { Some(who) => *who == self.who, None => { owners.insert(place.clone(), self.who); true } }
    }
}

/// What two executions of one root must have in common for one to decide places of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape { gave_up: Option<String>, accesses: Vec<usize> }

impl Shape {
    pub fn of(prepared: &Prepared<'_>) -> Self {
        Self { gave_up: prepared.gave_up.clone(), accesses: prepared.runs.iter().map(|r| r.run.accesses.len()).collect() }
    }
}

/// Call stacks of accesses that are safe whatever their kernel is launched with.
pub(super) type SafeAnyway = FxHashMap<FuncRef, FxHashSet<Vec<Site>>>;

/// What is left to be decided of one root.
pub(super) struct Task<'t> {
    pub root: &'t Root,
    pub safe: &'t SafeAnyway,
    pub shape: Shape,
    /// Whether something comes after it that needs time too.
    pub more: bool,
}

impl<'p> Engine<'p> {
    /// An engine for another thread, which knows what this one knows of the program.
    fn helper(&self) -> Self {
        let mut other = self.again();
        (other.threads, other.lost, other.assumed.asked) = (1, self.lost.clone(), self.assumed.asked.clone());
        other
    }

    /// Does some work on each of several things, of which it is told the last ones. With several threads each takes the next that
    /// nobody has taken, and what comes of them is put together in their order.
    pub(super) fn by_turns<T: Sync>(&mut self, all: &[T], work: impl Fn(&mut Self, &T, bool) + Sync) {
        let n = self.threads.min(all.len() / 2).max(1);
        if n < 2 { return for (i, t) in all.iter().enumerate() { work(self, t, i + 1 == all.len()); }; }
        let next = AtomicUsize::new(0);
        let this: &Self = self;
        let turns = || {
            let mut done = vec![];
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(t) = all.get(i) else { return done };
                let mut own = this.helper();
                work(&mut own, t, i + n >= all.len());
                done.push((i, own));
            }
        };
        let mut done = std::thread::scope(|scope| {
            let _room = Room::new(n - 1);
            let others: Vec<_> = (1..n).filter_map(|_| start(scope, turns)).collect();
            let own = turns();
            others.into_iter().flat_map(joined).chain(own).collect::<Vec<_>>()
        });
        done.sort_by_key(|(i, _)| *i);
        for (_, engine) in done { self.absorb(engine); }
    }

    /// Decides what is left of a root, by `own` here and by the threads that help.
    pub(super) fn together<R>(&mut self, task: &Task<'_>, places: usize, own: impl FnOnce(&mut Self) -> R) -> R {
        let n = if places < ENOUGH || self.assumed.asked.is_some() { 1 } else { self.threads };
        if n < 2 { return own(self); }
        let claims = Arc::new(Claims::default());
        let share = |who| Share { claims: claims.clone(), who };
        self.share = Some(share(0));
        // What is proved already is only counted.
        for place in self.proved_places() { self.is_mine(&place); }
        std::thread::scope(|scope| {
            let _room = Room::new(n - 1);
            let others: Vec<_> = (1..n).filter_map(|who| {
                let mut other = self.helper();
                other.share = Some(share(who));
                start(scope, move || { other.help(task); other })
            }).collect();
            let done = own(self);
            claims.over.store(true, Ordering::Relaxed);
            for other in others { self.absorb_places(joined(other)); }
            self.share = None;
            done
        })
    }

    pub(super) fn is_mine(&self, place: &Place) -> bool { self.share.as_ref().is_none_or(|s| s.is_mine(place)) }

    /// Tells an execution that nobody waits for it any more.
    pub(super) fn over(&self) -> Option<Arc<AtomicBool>> { self.share.as_ref().filter(|s| s.who > 0).map(|s| s.claims.over.clone()) }

    /// Executes a root again, and decides what nobody has taken yet. Where the execution is another one than the first, which a
    /// limit of time can make it, nothing.
    fn help(&mut self, task: &Task<'_>) {
        let prepared = self.prepare(task.root);
        if Shape::of(&prepared) != task.shape { self.forget_places(); return; }
        let (runs, mut tools) = self.with_tools(task.root, prepared);
        let open = self.first_looks(&mut tools, &runs, task.safe);
        self.second_looks(&mut tools, open, task.more);
    }
}

/// Stacks of so many threads besides the limit on this process's data, which counts stacks in full, while it lives.
struct Room { before: Rlimit }

impl Room {
    fn new(threads: usize) -> Self {
        let before = getrlimit(Resource::Data);
        let wanted = before.current.map(|now| now.saturating_add((super::STACK * threads) as u64));
        let current = wanted.map(|w| before.maximum.map_or(w, |m| m.min(w)));
        // Without it there are no threads, which only takes longer.
        if threads > 0 { let _ = setrlimit(Resource::Data, Rlimit { current, maximum: before.maximum }); }
        Self { before }
    }
}

impl Drop for Room {
    fn drop(&mut self) { let _ = setrlimit(Resource::Data, self.before); }
}

/// Starts a thread; `None` where the system has none, or no memory for it.
fn start<'s, T: Send + 's>(scope: &'s Scope<'s, '_>, work: impl FnOnce() -> T + Send + 's) -> Option<ScopedJoinHandle<'s, T>> {
    let recall = recall::shared();
    let name = std::thread::current().name().map(str::to_owned);
    let builder = Builder::new().stack_size(super::STACK);
    name.into_iter().fold(builder, Builder::name).spawn_scoped(scope, move || recall::with(recall, work)).ok()
}

/// What a thread came to. Its panic goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T { thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) }
