//! Effects of code outside the program: unread objects and libraries may call whatever the program exports, and other
//! host threads may change memory that they can reach.
//!
//! In: a state at a call of such code, or at a read that another thread's write may precede. Out: the state in which
//! all of that is unknown; [`ir::OutsideEffects`] lists the variables.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use base::reasons::UnknownReason;
use ir::{GlobalRef, Side};
use models::attributes::may_be_the_programs;
use std::rc::Rc;

/// Functions that wait for another thread, after which it may have changed shared memory (POSIX.1-2017, 4.12 Memory
/// Synchronization).
const WAITS_FOR_THREADS: &[&str] = &[
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_barrier_wait",
    "pthread_join",
    "sem_wait",
    "sem_trywait",
    "mtx_lock",
    "mtx_trylock",
    "cnd_wait",
    "thrd_join",
    "omp_set_lock",
    "omp_test_lock",
    "__kmpc_critical",
];

impl ExecutionContext<'_> {
    /// Havocs what the exported functions of the program can write: the called outside code may call them.
    pub(in crate::symbolic) fn exported_run(&mut self, s: &mut State, why: &UnknownReason) {
        if self.side == Side::Device {
            return;
        }
        let program = self.program;
        let outside = program.outside();
        let written: Vec<GlobalRef> =
            outside.written.iter().copied().filter(|g| !self.runtime.of_constructors.contains(g)).collect();
        let mut objects: Vec<ObjId> = written.into_iter().map(|g| self.global_object(g.module, g.global)).collect();
        for g in &outside.read {
            let o = self.global_object(g.module, g.global);
            self.ensure(s, o);
            self.held(s, o, &mut objects);
        }
        for g in &outside.device {
            let o = self.global_object(g.module, g.global);
            self.havoc(s, o, why, false);
        }
        let pointers: Vec<Value> = objects.into_iter().map(|o| self.pointer(o, 0)).collect();
        let reached = self.reached_from(s, &pointers);
        // The outside code may have stored the escaped addresses.
        self.points_to.give(&reached);
        self.clobber(s, &pointers, why);
        if outside.opaque {
            self.havoc_escaped(s, why, false);
        }
        if outside.frees {
            let always = self.arena.bool(true);
            for o in reached {
                self.perhaps_freed(s, o, always);
            }
        }
        if outside.attributes {
            let all: Vec<ObjId> = self.runtime.attributes.values().copied().collect();
            for o in all {
                if let Some(st) = s.mem.get_mut(&o) {
                    for at in [0, 4, 8, 12] {
                        let unknown = Value::unknown(UnknownReason::KernelAttribute);
                        Rc::make_mut(st).cells.insert(at, (4, unknown));
                    }
                }
            }
        }
    }

    /// Whether an unknown pointer may lead to a function outside the program. If all functions of a program except for
    /// those of known libraries are available, none is outside.
    pub(in crate::symbolic) fn may_call_outside(&mut self) -> bool {
        if !self.from_the_start {
            return true;
        }
        let program = self.program;
        *self.runtime.has_outside.get_or_insert_with(|| {
            program
                .functions()
                .any(|(_, m, f)| m.side == Side::Host && f.is_declaration() && may_be_the_programs(&f.name))
        })
    }

    /// Havocs memory that another host thread may have changed before this call returns. In an execution from `main`,
    /// the started threads run known functions of the program; a caller of any other root may have unknown threads.
    pub(in crate::symbolic) fn wait_for_threads(&mut self, s: &mut State, name: &str) {
        if self.side == Side::Device || self.from_the_start || !WAITS_FOR_THREADS.contains(&name) {
            return;
        }
        let why = &UnknownReason::ByAnotherThread;
        let mut shared = self.heap.parameters().to_vec();
        let mut written = self.limits.effort().written();
        written.retain(|g| !self.runtime.of_constructors.contains(g));
        for g in written {
            shared.push(self.global_object(g.module, g.global));
        }
        let pointers: Vec<Value> = shared.into_iter().map(|o| self.pointer(o, 0)).collect();
        self.clobber(s, &pointers, why);
    }
}

impl MemoryDomain<'_> {
    /// Whether another thread, a signal handler or a device may change what a volatile or atomic read finds: any
    /// object except for constants and memory whose address only this thread has (C++ [intro.races], [dcl.type.cv]).
    pub(in crate::symbolic) fn others_may_write(&self, p: &[GuardedTarget]) -> bool {
        if self.side == Side::Device {
            return false;
        }
        p.iter().any(|t| match t.base {
            Base::Object(o) => match &self.object(o).kind {
                ObjKind::HostGlobal(r) => {
                    let g = self.program.global(*r);
                    // An atomic read checks whether a function's static variable is initialised (Itanium C++ ABI,
                    // 3.3.2).
                    !g.constant && !g.name.starts_with("_ZGV")
                }
                ObjKind::Parameter | ObjKind::Managed => true,
                ObjKind::HostLocal | ObjKind::HostHeap => {
                    self.heap.given(o).is_some() || self.points_to.is_with_others(o)
                }
                _ => false,
            },
            // Reads through any other pointer are unknown each time.
            _ => false,
        })
    }

    /// Returns the result of a volatile or atomic read where others may write: a fresh number at each read, or one of
    /// the pointers stored there.
    pub(in crate::symbolic) fn read_beside_others(
        &mut self,
        f: ir::FuncRef,
        p: &[GuardedTarget],
        ty: ir::TypeId,
    ) -> Value {
        let m = self.module(f);
        let v = self.unknown_of(m, ty, &UnknownReason::ByAnotherThread);
        match p {
            [GuardedTarget { base: Base::Object(o), .. }] => self.among_stored(*o, v),
            _ => v,
        }
    }
}
