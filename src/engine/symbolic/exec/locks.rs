//! Locks, atomic operations and waits between threads of the host: what a thread may see behind one of them.
//!
//! A thread is executed to its end where it is started ([`super::host_threads`]). Where it takes a lock, reads atomically or waits, it may
//! see from there on what other threads stored in the meantime (C++ [intro.races]). So memory of the host that others may write is
//! unknown to it from there on; the threads around it find again what they knew of memory to which it stores nothing.
//!
//! Stores of such a thread may happen at any time until it is joined, since it may have waited for what comes later in this
//! execution. So what it stores is unknown to the threads around it until they join it, and stays unknown if another thread stores
//! to the same memory.

use super::lock_records::{StoredByThread, ThreadArguments};
use super::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState};
use crate::symbolic::memory::value::{Value, has_unknown_pointer};
use base::reasons::UnknownReason;
use ir::Side;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Start of the execution of a thread, or of one more try of it.
pub struct LockMark {
    seen: usize,
    taken: usize,
    scope: Option<FxHashSet<ObjId>>,
    stored: FxHashSet<ObjId>,
}

impl ExecutionContext<'_> {
    /// Leaves unknown what other threads may have stored, where a thread takes a lock.
    pub fn lock_taken(&mut self, s: &mut State) {
        if self.runtime.threads_around == 0 {
            if self.runtime.locks.used && self.may_thread_run(s) {
                let shared = self.reached_by_threads(s);
                self.leave_to_threads(s, &shared);
            }
            return;
        }
        self.runtime.locks.used = true;
        self.runtime.locks.taken += 1;
        let shared = match self.runtime.locks.scope.clone() {
            Some(scope) => self.with_reached(s, scope.into_iter().filter(|o| s.mem.contains_key(o)).collect()),
            None => {
                let mut shared = self.shared_by_thread(s);
                let mut attributes: Vec<ObjId> = self.runtime.attributes.values().copied().collect();
                attributes.sort_unstable();
                shared.extend(attributes.into_iter().filter(|o| s.mem.contains_key(o)));
                shared
            }
        };
        self.note_stored_before_lock(s, &shared);
        self.leave_to_threads(s, &shared);
        for o in shared {
            if let Some(st) = s.mem.get(&o) {
                self.runtime.locks.seen.push((o, st.clone()));
            }
        }
    }

    /// Records to which of these objects the present thread has stored since it started, or since it took its last lock.
    fn note_stored_before_lock(&mut self, s: &State, shared: &[ObjId]) {
        let locks = &mut self.runtime.locks;
        let Some(thread) = locks.around.last() else { return };
        for o in shared {
            let Some(now) = s.mem.get(o) else { continue };
            // A value that is stored again may be another one meanwhile: equal contents are not enough.
            let is_it = |st: &Rc<ObjState>| Rc::ptr_eq(st, now);
            if !thread.before.get(o).is_some_and(is_it) && !locks.seen.iter().any(|(of, st)| of == o && is_it(st)) {
                locks.stored.insert(*o);
            }
        }
    }

    /// Leaves unknown what other threads may have stored, where a thread beside the first has waited for the end of one.
    pub fn waited_in_thread(&mut self, s: &mut State) {
        if self.runtime.threads_around > 0 {
            self.lock_taken(s);
        }
    }

    /// Leaves unknown what other threads may have stored, where a thread reads an atomic or volatile variable, or a guard: which thread
    /// initialises a static variable of a function is not known either.
    pub(super) fn read_beside_threads(&mut self, s: &mut State) {
        if self.side == Side::Host {
            self.lock_taken(s);
        }
    }

    /// Leaves memory unknown to which other threads may have stored, and addresses of it anywhere in it.
    fn leave_to_threads(&mut self, s: &mut State, shared: &[ObjId]) {
        let pointers: Vec<Value> = shared.iter().map(|o| self.pointer(*o, 0)).collect();
        self.clobber(s, &pointers, &UnknownReason::ByAnotherThread);
        for o in shared {
            self.havoc(s, *o, &UnknownReason::ByAnotherThread, false);
        }
    }

    /// Returns the variables of the host that the program writes.
    fn written_globals(&mut self, s: &mut State) -> Vec<ObjId> {
        let written = self.limits.effort().written();
        let mut objects: Vec<ObjId> = written.into_iter().map(|g| self.global_object(g.module, g.global)).collect();
        objects.retain(|o| !self.is_own_of_threads(*o));
        for o in &objects {
            self.ensure(s, *o);
        }
        objects
    }

    /// Returns memory of the host with what its contents lead to, in order.
    fn with_reached(&mut self, s: &State, mut all: Vec<ObjId>) -> Vec<ObjId> {
        all.sort_unstable();
        let pointers: Vec<Value> = all.iter().map(|o| self.pointer(*o, 0)).collect();
        all.extend(self.reached_from(s, &pointers));
        all.retain(|o| {
            matches!(
                self.object(*o).kind,
                ObjKind::HostGlobal(_) | ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::Managed | ObjKind::Parameter
            ) && s.mem.contains_key(o)
        });
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the memory of the host that the present thread and others can reach: from variables, and from what it was given, but
    /// for an object of its own that holds what it was given.
    fn shared_by_thread(&mut self, s: &mut State) -> Vec<ObjId> {
        let Some(ThreadArguments { given, own, .. }) = self.runtime.locks.around.last().cloned() else { return vec![] };
        let mut all = self.written_globals(s);
        all.extend(self.reached_from(s, &given));
        all.retain(|o| Some(*o) != own);
        self.with_reached(s, all)
    }

    /// Returns the memory of the host that threads beside the first can reach.
    fn reached_by_threads(&mut self, s: &mut State) -> Vec<ObjId> {
        let mut all = self.written_globals(s);
        let given = self.runtime.locks.given.clone();
        all.extend(self.reached_from(s, &given));
        self.with_reached(s, all)
    }

    /// Records the arguments of a thread that is about to start.
    pub fn given_to_thread(&mut self, args: &[Value]) {
        let version = self.heap.version();
        self.runtime.locks.first.get_or_insert(version);
        // Threads of a loop are given other places in the same objects.
        let mut objects = vec![];
        for v in args {
            self.collect_objects(v, &mut objects);
        }
        let places: Vec<Value> = objects.into_iter().map(|o| self.pointer(o, 0)).collect();
        for v in args.iter().filter(|v| has_unknown_pointer(v)).chain(&places) {
            if !self.runtime.locks.given.contains(v) {
                self.runtime.locks.given.push(v.clone());
            }
        }
    }

    /// Begins a try of a thread, in which locks concern this memory; `None` is all that is not the thread's own.
    pub fn begin_locks(&mut self, scope: Option<FxHashSet<ObjId>>, arguments: ThreadArguments) -> LockMark {
        let locks = &mut self.runtime.locks;
        locks.around.push(arguments);
        LockMark {
            seen: locks.seen.len(),
            taken: locks.taken,
            scope: std::mem::replace(&mut locks.scope, scope),
            stored: std::mem::take(&mut locks.stored),
        }
    }

    /// Ends a try of a thread: gives memory to which it did not store back the contents that the threads around it know. Returns
    /// whether it took a lock.
    pub fn end_locks(&mut self, mark: LockMark, before: &State, after: Option<&mut State>) -> bool {
        let locks = &mut self.runtime.locks;
        locks.scope = mark.scope;
        let stored = std::mem::replace(&mut locks.stored, mark.stored);
        locks.around.pop();
        let seen = locks.seen.split_off(mark.seen.min(locks.seen.len()));
        let taken = locks.taken > mark.taken;
        let Some(after) = after else { return taken };
        for (o, unknown) in &seen {
            if stored.contains(o) || !after.mem.get(o).is_some_and(|st| Rc::ptr_eq(st, unknown)) {
                continue;
            }
            match before.mem.get(o) {
                Some(known) => {
                    after.mem.insert(*o, known.clone());
                }
                None => {
                    after.mem.remove(o);
                }
            }
        }
        taken
    }

    /// Records what a thread of this number stored to, which goes on beside the thread that started it.
    pub fn stored_by_thread(&mut self, before: &State, after: &mut State, number: Option<i64>) {
        let (changed, _) = self.changed_since(before, after);
        for o in changed {
            let Some(left) = after.mem.get(&o).filter(|_| !self.is_device_memory(o)).cloned() else { continue };
            if self.runtime.locks.used {
                self.havoc(after, o, &UnknownReason::ByAnotherThread, false);
            }
            let Some(meanwhile) = after.mem.get(&o).cloned() else { continue };
            let by = number.filter(|_| !self.runtime.locks.written.contains_key(&o));
            self.runtime.locks.written.insert(o, StoredByThread { by, left, meanwhile });
        }
    }

    /// Finds what a thread has stored where it is joined, unless another one may have stored there, too: their order is unknown.
    pub fn stores_of_joined(&mut self, s: &mut State, number: Option<i64>) {
        if !self.runtime.locks.used {
            return;
        }
        let mut all: Vec<(ObjId, StoredByThread)> =
            self.runtime.locks.written.iter().map(|(o, stored)| (*o, stored.clone())).collect();
        all.sort_unstable_by_key(|(o, _)| *o);
        for (o, stored) in all {
            let Some(now) = s.mem.get(&o) else { continue };
            let untouched = Rc::ptr_eq(now, &stored.meanwhile);
            if untouched && number.is_some() && stored.by == number {
                s.mem.insert(o, stored.left);
            } else if !untouched && !Rc::ptr_eq(now, &stored.left) {
                self.havoc(s, o, &UnknownReason::ByAnotherThread, false);
            }
        }
        // What was made since the first thread started did not exist when it was executed.
        let first = self.runtime.locks.first.unwrap_or(0);
        let mut later = self.reached_by_threads(s);
        later.retain(|o| {
            !self.runtime.locks.written.contains_key(o)
                && self.heap.is_made_since(*o, first)
                && !matches!(self.object(*o).kind, ObjKind::HostGlobal(_))
        });
        for o in later {
            self.havoc(s, o, &UnknownReason::ByAnotherThread, false);
        }
    }

    fn is_device_memory(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) | ObjKind::Constant(_))
    }
}
