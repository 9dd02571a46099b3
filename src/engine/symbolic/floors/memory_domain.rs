//! The floor above values: memory of hosts and devices.
//!
//! The facts of kernels and of device work in flight are here, since the contents that a load may see depend on them.

use crate::symbolic::exec::runtime::Runtime;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::kernel::context::KernelContext;
use crate::symbolic::memory::heap::Heap;
use crate::symbolic::memory::object::{ObjId, Object};
use crate::symbolic::memory::site_summary::SummaryObjects;
use crate::symbolic::pointers::points_to::PointsTo;
use crate::symbolic::terms::functions;
use crate::symbolic::terms::term::{Term, TermId};
use ir::Program;
use std::ops::{Deref, DerefMut};

/// Objects, the pointers that escaped, and the facts of kernels and of the CUDA runtime that loads and stores depend on.
#[derive(Clone)]
pub struct MemoryDomain<'p> {
    values: ValueDomain<'p>,
    /// The objects of the execution, independent of any state.
    pub heap: Heap,
    /// The kernel under execution.
    pub kernel: KernelContext,
    pub runtime: Runtime,
    pub(in crate::symbolic) points_to: PointsTo,
    pub(in crate::symbolic) several: SummaryObjects,
}

impl<'p> MemoryDomain<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            values: ValueDomain::new(program),
            heap: Heap::default(),
            kernel: KernelContext::default(),
            runtime: Runtime::new(),
            points_to: Default::default(),
            several: Default::default(),
        }
    }

    /// Returns an empty state that is always reached.
    pub fn initial_state(&mut self) -> State {
        drop(self.heap.take_first());
        self.state_at_start()
    }

    /// Returns an object, like [`Heap::object`].
    pub fn object(&self, o: ObjId) -> &Object {
        self.heap.object(o)
    }

    /// Whether a term is the address of an object that was allocated after contents had this version, or in some loop
    /// iteration.
    pub(in crate::symbolic) fn is_address_since(&self, t: TermId, version: u32) -> bool {
        let Term::Apply { function, args, .. } = self.arena.get(t) else { return false };
        let object =
            if matches!(function, functions::UninterpretedFunction::Address | functions::UninterpretedFunction::Made) {
                self.arena.as_int(args[0]).and_then(|id| u32::try_from(id).ok())
            } else {
                None
            };
        object.is_some_and(|id| self.points_to.is_twin(ObjId(id)) || self.heap.is_made_since(ObjId(id), version))
    }
}

impl<'p> Deref for MemoryDomain<'p> {
    type Target = ValueDomain<'p>;

    fn deref(&self) -> &Self::Target {
        &self.values
    }
}

impl DerefMut for MemoryDomain<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.values
    }
}
