//! Memory that each iteration of a loop allocates anew: `free(a); a = malloc(n_i)`.
//!
//! An allocation in a loop's body is one object for all iterations, with the size that the current iteration requests.
//! A variable that each iteration sets to it holds, at the start of an iteration, the allocation of the previous one,
//! with that one's size. This is another object: the *twin*. In: states around an iteration. Out: which variables have
//! a twin, and its size at iteration `k`. The twin's contents are not followed.

use super::object::{ObjId, ObjState, Object, UncoveredContents};
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::loops::sum::Iterations;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::term::{Term, TermId};
use base::reasons::UnknownReason;
use ir::BlockId;
use std::rc::Rc;

/// Pointer variable that each iteration sets to a new allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::symbolic) struct FreshAllocation {
    /// Allocation of the current iteration.
    pub made: ObjId,
    /// Allocation of the previous iteration.
    pub twin: ObjId,
    pub offset: TermId,
}

impl ExecutionContext<'_> {
    /// Returns the twin that a variable holds at the start of the next iteration, if this iteration, on every path,
    /// leaves it pointing to an object that it allocated and did not free. Puts the twin into the state before the
    /// loop, so that all iterations know it.
    pub(in crate::symbolic) fn made_anew(
        &mut self,
        fr: &Activation,
        header: BlockId,
        s0: &mut State,
        sb: &State,
        next: &[GuardedTarget],
    ) -> Option<FreshAllocation> {
        let [GuardedTarget { base: Base::Object(made), offset, cond, .. }] = next else { return None };
        let (made, offset, cond) = (*made, *offset, *cond);
        if s0.mem.contains_key(&made) || self.arena.as_bool(cond) != Some(true) {
            return None;
        }
        let freed = self.freed_when(sb, made);
        if self.arena.as_bool(freed) != Some(false) {
            return None;
        }
        let object = Object { extent: None, ..self.object(made).clone() };
        let site = Site { func: fr.func, block: header, inst: u32::MAX };
        let twin = self.heap.allocate((fr.context, site, made.0), object);
        s0.mem.or_insert_with(twin, || {
            let reason = Rc::new(UnknownReason::EarlierRoundLeft(self.object(made).name.clone()));
            let version = self.heap.next_version();
            Rc::new(ObjState::new(UncoveredContents::Unknown { version, input: false, reason }))
        });
        // Addresses stored before may be the twin's.
        self.points_to.add_twin(made, twin);
        self.note_scarce_twin(made, twin);
        Some(FreshAllocation { made, twin, offset })
    }
}

impl MemoryDomain<'_> {
    /// Gives a twin the size that the iteration before `k` requested, if known. Before the first iteration there is no
    /// twin, and any size will do.
    pub(in crate::symbolic) fn size_twin(&mut self, new: &FreshAllocation, r: &Iterations<'_>) {
        let Some(size) = self.object(new.made).extent else { return };
        let size = self.arena.substitute(size, r.map);
        if !self.only_old(size, r.mark, r.version, Some(r.k)) {
            return;
        }
        let before = self.arena.add_const(r.k, -1);
        let size = self.arena.substitute(size, &std::iter::once((r.k, before)).collect());
        let (first, one) = (self.arena.le_zero(r.k), self.arena.int(1));
        let size = self.arena.ite(first, one, size);
        self.heap.set_extent(new.twin, size);
    }

    /// Value at iteration `k` of a variable that each iteration sets to a new object: the start value at first, then
    /// the twin.
    pub(in crate::symbolic) fn held_at(&mut self, start: Option<&Value>, new: &FreshAllocation, k: TermId) -> Value {
        let always = self.arena.bool(true);
        let twin = Value::Ptr(Rc::new(vec![GuardedTarget::new(always, Base::Object(new.twin), new.offset)]));
        let Some(start) = start else { return twin };
        let first = self.arena.le_zero(k);
        self.ite_value(first, start, &twin)
    }
}

impl Terms {
    /// Whether an object's address occurs in one of these numbers.
    pub(in crate::symbolic) fn speaks_of(&self, numbers: &[TermId], o: ObjId) -> bool {
        self.arena.cone(numbers).into_iter().any(|t| match self.arena.get(t) {
            Term::Apply { function: UninterpretedFunction::Address, args, .. } => {
                args.first().and_then(|a| self.arena.as_int(*a)) == Some(i128::from(o.0))
            }
            _ => false,
        })
    }
}
