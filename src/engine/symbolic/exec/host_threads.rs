//! Threads of the host in a state: which may still run, and the memory that they may use.
//!
//! A thread is executed where it is started. That is each of its executions as far as memory of the host is concerned, if it
//! waits for no other thread and no two threads race (C++ [intro.races]): what others store meanwhile it does not read, and what
//! it stores they read after it is joined. A thread that may wait ends what is said of the program. What threads do with
//! devices is in no order; so contents of device memory are unknown to launches from the first start of a thread on.

use super::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Maximum number of threads that are told apart.
const MAX: i64 = 64;

/// Offset of the number of threads that were started. Behind it, each thread has the number of objects that it may use, or 0 if
/// it has been joined; the last place is that of all others.
const STARTED: i64 = 0;

const fn place(number: i64) -> i64 {
    8 * number
}

impl MemoryDomain<'_> {
    /// Sets the first state of a root to no thread beside the first.
    pub fn no_thread_started(&mut self, s: &mut State) {
        let o = self.heap.add(Object {
            kind: ObjKind::Opaque,
            name: String::new(),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        self.runtime.threads = Some(o);
        s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Zero)));
        self.set_thread_cell(s, STARTED, 0);
    }

    fn set_thread_cell(&mut self, s: &mut State, at: i64, n: i64) {
        let n = Value::Int(self.arena.int(i128::from(n)));
        if let Some(st) = self.runtime.threads.and_then(|o| s.mem.get_mut(&o)) {
            Rc::make_mut(st).cells.insert(at, (8, n));
        }
    }

    /// Records that a thread was started which may use all memory of this state, until it is joined. Returns its number, if it
    /// is known.
    pub fn thread_started(&mut self, s: &mut State) -> Option<i64> {
        let started = self.runtime.threads.and_then(|o| s.mem.get(&o)).and_then(|st| match st.cells.get(&STARTED) {
            Some((_, Value::Int(t))) => self.arena.as_int(*t).and_then(|n| i64::try_from(n).ok()),
            _ => None,
        });
        let number = started.map(|n| n + 1).filter(|n| *n < MAX);
        let objects = i64::try_from(self.heap.len()).unwrap_or(i64::MAX);
        self.set_thread_cell(s, STARTED, number.unwrap_or(MAX));
        self.set_thread_cell(s, place(number.unwrap_or(MAX)), objects);
        number
    }

    /// Records that a thread has ended.
    pub fn thread_joined(&mut self, s: &mut State, number: i64) {
        if (1..MAX).contains(&number) {
            self.set_thread_cell(s, place(number), 0);
        }
    }

    /// Whether a thread that may still run may use an object; `None` is any object.
    pub fn may_be_used_by_thread(&self, s: &State, o: Option<ObjId>) -> bool {
        let Some(st) = self.runtime.threads.and_then(|t| s.mem.get(&t)) else { return false };
        let unknown = st.rest != UncoveredContents::Zero;
        unknown
            || st.cells.iter().filter(|(at, _)| **at != STARTED).any(|(_, (_, v))| {
                let Value::Int(t) = v else { return true };
                let Some(objects) = self.arena.as_int(*t) else { return true };
                objects != 0 && o.is_none_or(|o| i128::from(o.0) < objects)
            })
    }
}

impl ExecutionContext<'_> {
    /// Ends what is said of the program at an operation by which threads may wait for each other, in another thread than the
    /// first.
    pub fn may_wait_for_thread(&mut self) {
        if self.runtime.threads_around > 0 {
            self.limits.miss(|| UnknownReason::OtherHostThread);
        }
    }

    /// Makes the contents of all memory unknown that device work of other threads may change at any time.
    pub fn open_to_threads(&mut self, s: &mut State) {
        for o in self.open_to_device(s) {
            self.havoc(s, o, &UnknownReason::OtherDeviceWork, false);
        }
    }

    /// Objects of `before` that another state has with other contents, and whether one of them was freed since.
    pub fn changed_since(&mut self, before: &State, after: &State) -> (Vec<ObjId>, bool) {
        let own = [self.runtime.threads, self.runtime.flight, self.runtime.captures.now];
        let changed = |o: &ObjId| match (before.mem.get(o), after.mem.get(o)) {
            (Some(old), Some(new)) => !Rc::ptr_eq(old, new),
            _ => false,
        };
        let mut all: Vec<ObjId> = before.mem.keys().filter(|o| !own.contains(&Some(*o)) && changed(o)).collect();
        all.sort_unstable();
        let freed = all.iter().any(|o| self.freed_when(before, *o) != self.freed_when(after, *o));
        (all, freed)
    }
}
