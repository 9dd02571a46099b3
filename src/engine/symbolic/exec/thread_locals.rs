//! Variables of which each thread of the host has its own (`thread_local`, C++ [basic.stc.thread]).
//!
//! In: the start and the end of a thread. Out: its variables as they begin, and those of the thread around it as they were. Clang 22 names
//! such a variable at each use ([`ir::thread_locals`]).

use super::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, UncoveredContents};
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use ir::thread_locals::of_threads;
use ir::{Const, GlobalRef};
use std::rc::Rc;

/// Contents of the variables of a thread, while another one is executed.
pub struct OwnVariables(Vec<(ObjId, Option<Rc<ObjState>>)>);

impl MemoryDomain<'_> {
    /// Returns the variables of threads.
    fn own_of_threads(&mut self) -> Rc<[GlobalRef]> {
        let program = self.program;
        self.runtime.of_threads.get_or_insert_with(|| of_threads(program).into()).clone()
    }

    /// Whether each thread has a variable of its own in place of this object.
    pub(super) fn is_own_of_threads(&mut self, o: ObjId) -> bool {
        match self.object(o).kind {
            ObjKind::HostGlobal(g) => self.own_of_threads().binary_search(&g).is_ok(),
            _ => false,
        }
    }

    /// Whether the program defines this variable. Of others (`std::__once_call` of libstdc++) the contents are unknown in every thread.
    fn is_defined(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::HostGlobal(g) if self.program.global(g).defined)
    }
}

impl ExecutionContext<'_> {
    /// Begins a thread with these arguments and variables of its own: as they are initialised, or unknown for any thread of a `team`.
    pub fn begin_own_variables(&mut self, s: &mut State, args: &[Value], team: bool) -> OwnVariables {
        let mut around = vec![];
        // By its address a thread may use the variable of another one.
        let mut known = if self.own_of_threads().is_empty() { vec![] } else { self.escaped(s) };
        known.extend(self.reached_from(s, args));
        if known.iter().any(|o| self.is_own_of_threads(*o) && self.is_defined(*o)) {
            self.limits.miss(|| UnknownReason::OtherHostThread);
        }
        for g in self.own_of_threads().iter() {
            let o = self.global_object(g.module, g.global);
            self.ensure(s, o);
            around.push((o, s.mem.get(&o).cloned()));
            let global = self.program.global(*g);
            let rest = match &global.init {
                _ if team => None,
                Some(Const::Zero(_)) => Some(UncoveredContents::Zero),
                Some(_) => Some(UncoveredContents::Init),
                None => global.defined.then_some(UncoveredContents::Zero),
            };
            let Some(rest) = rest else {
                self.havoc(s, o, &UnknownReason::OtherHostThread, false);
                continue;
            };
            s.mem.insert(o, Rc::new(ObjState::new(rest)));
        }
        OwnVariables(around)
    }

    /// Ends a thread: the variables of the thread around it are as they were. The first of a `team` is that thread.
    pub fn end_own_variables(&mut self, s: &mut State, OwnVariables(around): OwnVariables, team: bool) {
        for (o, held) in around {
            if team || !self.is_defined(o) {
                self.havoc(s, o, &UnknownReason::OtherHostThread, false);
            } else if let Some(held) = held {
                s.mem.insert(o, held);
            }
        }
    }
}
