//! Threads of the host in a state: which may still run, and the memory that they may use.
//!
//! A thread is executed where it is started. That is each of its executions as far as memory of the host is concerned, if it
//! waits for no other thread and no two threads race (C++ [intro.races]): what others store meanwhile it does not read, and what
//! it stores they read after it is joined. A thread that may wait ends what is said of the program. What threads do with
//! devices is in no order; so contents of device memory are unknown to launches from the first start of a thread on.
//!
//! A thread may also learn through a device that another one went on: it reads what device work wrote, or waits for a kernel that
//! waits. From there on it must read nothing of the host that others may have written meanwhile.

use super::events::EventMark;
use super::runtime::InThread;
use super::state::State;
use crate::symbolic::effects::unanalysed_call::targets;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use base::reasons::UnknownReason;
use ir::{Side, kernels_may_wait, streams_call_program};
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
        self.runtime.last_started = self.heap.version();
        self.set_thread_cell(s, STARTED, number.unwrap_or(MAX));
        self.set_thread_cell(s, place(number.unwrap_or(MAX)), objects);
        number
    }

    /// Records that unknown threads may run, which may use all memory of the root's caller.
    pub fn unknown_threads_run(&mut self) {
        self.runtime.host_threads = true;
        self.runtime.unknown_threads = true;
    }

    /// Leaves the record of threads in a state as another state has it.
    pub fn with_threads_of(&self, s: &mut State, other: &State) {
        if let Some(o) = self.runtime.threads
            && let Some(st) = other.mem.get(&o)
        {
            s.mem.insert(o, st.clone());
        }
    }

    /// Records that a thread has ended.
    pub fn thread_joined(&mut self, s: &mut State, number: i64) {
        if (1..MAX).contains(&number) {
            self.set_thread_cell(s, place(number), 0);
        }
    }

    /// Whether a thread that was started may still run.
    pub(super) fn may_thread_run(&self, s: &State) -> bool {
        let Some(st) = self.runtime.threads.and_then(|t| s.mem.get(&t)) else { return false };
        let joined = |v: &Value| matches!(v, Value::Int(t) if self.arena.as_int(*t) == Some(0));
        st.rest != UncoveredContents::Zero || st.cells.iter().any(|(at, (_, v))| *at != STARTED && !joined(v))
    }

    /// Whether a thread that may still run may use an object; `None` is any object.
    pub fn may_be_used_by_thread(&self, s: &State, o: Option<ObjId>) -> bool {
        let own = |o: ObjId| {
            matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::HostHeap)
                && self.heap.given(o).is_none()
        };
        if self.runtime.unknown_threads && o.is_none_or(|o| !own(o)) {
            return true;
        }
        let Some(st) = self.runtime.threads.and_then(|t| s.mem.get(&t)) else { return false };
        // Allocations of earlier iterations of a loop have other names where pointers to them are left (`memory/recency.rs`).
        let is_newer = |o: ObjId| {
            own(o)
                && self.heap.is_made_since(o, self.runtime.last_started)
                && !self.points_to.is_twin(o)
                && !self.several.has_other_names(o)
        };
        if o.is_some_and(is_newer) {
            return false;
        }
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

    /// Ends what is said of the program at a function by which a thread may wait for another one.
    pub fn may_wait_for_thread_by(&mut self, function: &str) {
        if self.runtime.threads_around > 0 {
            self.limits.miss(|| UnknownReason::WaitsForThread(function.to_owned()));
        }
    }

    /// Returns the present end of the lists of events.
    pub fn events_so_far(&self) -> EventsSoFar {
        EventsSoFar(self.events.mark())
    }

    /// Removes the events of a try.
    pub fn take_events_back(&mut self, to: &EventsSoFar) {
        self.events.take_back(to.0);
    }

    /// Begins the execution of a thread. Returns what was known of the thread around it.
    pub fn enter_thread(&mut self) -> ThreadAround {
        let around = self.runtime.in_thread;
        if self.runtime.threads_around == 0 {
            self.runtime.in_thread = InThread { base: self.heap.version(), ..InThread::default() };
        }
        self.runtime.in_thread.frees = false;
        self.runtime.threads_around += 1;
        ThreadAround(around)
    }

    /// Ends the execution of a thread, which `came_back` on some path or not. Returns whether it frees memory nowhere but where it is
    /// executed.
    pub fn leave_thread(&mut self, around: &ThreadAround, came_back: bool) -> bool {
        let this = self.runtime.in_thread;
        self.runtime.threads_around -= 1;
        // Others use what it freed where it does not come back, or until it has waited for them.
        let in_order = !this.frees || !this.ends && came_back && !self.runtime.locks.used;
        if !in_order {
            self.limits.miss(|| UnknownReason::OtherHostThread);
        }
        self.runtime.in_thread =
            InThread { frees: this.frees || around.0.frees, ends: this.ends || around.0.ends, ..this };
        in_order
    }

    /// Records that the present thread may not come back from here.
    pub(in crate::symbolic) fn may_end_thread(&mut self) {
        self.runtime.in_thread.ends |= self.runtime.threads_around > 0;
    }

    /// Records a loop of the present thread, which may not end for all inputs.
    pub(in crate::symbolic) fn may_end_thread_in_loop(&mut self, never_left: bool) {
        if never_left || self.runtime.in_thread.frees {
            self.may_end_thread();
        }
    }

    /// Records that the present thread reads host memory.
    pub(super) fn read_in_thread(&mut self, p: &[GuardedTarget]) {
        if self.side != Side::Host || self.runtime.threads_around == 0 {
            return;
        }
        if self.runtime.in_thread.learned && p.iter().any(|t| self.is_others(&t.base)) {
            self.may_wait_for_thread();
        }
        self.runtime.in_thread.learned |= p.iter().any(|t| match t.base {
            Base::Object(o) => self.is_seen_by_host(o),
            Base::Unknown(_) => true,
            Base::Null | Base::Func(_) => false,
        });
    }

    /// Records that the present thread may learn through a device that other threads went on.
    pub fn learns_of_devices(&mut self) {
        self.runtime.in_thread.learned |= self.runtime.threads_around > 0;
    }

    /// Whether the present thread learned that, and is given memory of the host that others may write: where its arguments
    /// point to, and with `deep` also where that memory points to.
    pub fn learned_reads(&self, s: &State, args: &[Value], deep: bool) -> bool {
        if self.runtime.threads_around == 0 || !self.runtime.in_thread.learned {
            return false;
        }
        let given: Vec<GuardedTarget> = args.iter().flat_map(targets).collect();
        let behind = |t: &GuardedTarget| match t.base {
            Base::Object(o) => s
                .mem
                .get(&o)
                .is_some_and(|st| st.cells.values().flat_map(|(_, v)| targets(v)).any(|t| self.is_others(&t.base))),
            _ => false,
        };
        given.iter().any(|t| self.is_others(&t.base)) || deep && given.iter().any(behind)
    }

    /// Whether other host threads may write there while the present one runs.
    fn is_others(&self, base: &Base) -> bool {
        let Base::Object(o) = *base else { return matches!(base, Base::Unknown(_)) };
        self.is_others_memory(o)
    }

    /// Whether other host threads may write to an object while the present one runs.
    pub(super) fn is_others_memory(&self, o: ObjId) -> bool {
        match self.object(o).kind {
            ObjKind::HostGlobal(g) => !self.program.global(g).constant,
            ObjKind::HostLocal => !self.heap.is_made_since(o, self.runtime.in_thread.base),
            ObjKind::HostHeap | ObjKind::Managed => !self.is_own_of_thread(o),
            ObjKind::Parameter => true,
            _ => false,
        }
    }

    /// Whether all allocations that an object stands for were made by the present thread.
    fn is_own_of_thread(&self, o: ObjId) -> bool {
        self.heap.is_made_since(o, self.runtime.in_thread.base) && !self.heap.is_made_again(o)
    }

    /// Ends what is said of the program where memory is freed that another thread may use.
    pub(in crate::symbolic) fn note_free(&mut self, s: &State, o: ObjId) {
        if self.side != Side::Host {
            return;
        }
        let of_device = matches!(self.object(o).kind, ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::Parameter);
        if !of_device && !self.heap.is_registered(o) {
            return;
        }
        if self.may_be_used_by_thread(s, Some(o)) {
            self.limits.miss(|| UnknownReason::FreedBesideThread("free".to_owned()));
        }
        let older = !self.heap.is_made_since(o, self.runtime.in_thread.base);
        self.runtime.in_thread.frees |= self.runtime.threads_around > 0 && older;
    }

    /// Ends what is said of the program where an array, texture or surface ends that another thread may use.
    pub fn note_end_of_images(&mut self, s: &State, handle: &[GuardedTarget], function: &str) {
        let objects: Vec<Option<ObjId>> = match handle {
            [] => vec![None],
            all => all.iter().map(|t| if let Base::Object(o) = t.base { Some(o) } else { None }).collect(),
        };
        if objects.iter().any(|o| self.may_be_used_by_thread(s, *o)) {
            self.limits.miss(|| UnknownReason::FreedBesideThread(function.to_owned()));
        }
        let base = self.runtime.in_thread.base;
        let older = objects.iter().any(|o| o.is_none_or(|o| !self.heap.is_made_since(o, base)));
        self.runtime.in_thread.frees |= self.runtime.threads_around > 0 && older;
    }

    /// Ends what is said of the program where a root other than `main` returns while its threads may run: others are called
    /// meanwhile.
    pub fn outlived_by_threads(&mut self, s: &State) {
        if !self.from_the_start && self.may_thread_run(s) {
            self.limits.miss(|| UnknownReason::OtherHostThread);
        }
    }

    /// Records that code after `main` uses devices, and ends what is said of the program if threads may run meanwhile.
    pub fn used_at_exit(&mut self, uses: bool) {
        self.runtime.used_at_exit |= uses;
        if self.runtime.used_at_exit && self.runtime.host_threads {
            self.limits.miss(|| UnknownReason::OtherHostThread);
        }
    }

    /// Whether a kernel may wait for work that the host starts later: whether device code reads by volatile or atomic
    /// operations.
    pub fn kernels_may_wait(&mut self) -> bool {
        let program = self.program;
        *self.runtime.kernels_wait.get_or_insert_with(|| kernels_may_wait(program))
    }

    /// Whether functions of the program may run where a stream writes.
    pub fn streams_call_program(&mut self) -> bool {
        let program = self.program;
        *self.runtime.streams_call.get_or_insert_with(|| streams_call_program(program))
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

impl MemoryDomain<'_> {
    /// Leaves memory of a state as not freed, where it was not in an earlier one.
    pub fn without_frees_since(&self, before: &State, s: &mut State) {
        for o in before.mem.keys() {
            let freed = before.mem.get(&o).and_then(|old| old.freed.clone());
            if let Some(st) = s.mem.get_mut(&o).filter(|st| st.freed != freed) {
                Rc::make_mut(st).freed = freed;
            }
        }
    }
}

/// Ends of the lists of events, for a try that may be undone.
pub struct EventsSoFar(EventMark);

/// Facts about the thread around the present one.
pub struct ThreadAround(InThread);
