//! The executor: the highest floor, which executes code.
//!
//! In: a [`Program`]. Out: [`super::events::Events`] over the terms of its arena. Its code is in the files of their
//! subjects, each with an `impl Executor`: control flow in [`super::region`], instructions in [`super::instruction`],
//! calls in [`super::calls`], loops in `loops/`. What executes no code stands on a lower floor
//! ([`crate::symbolic::floors`]). The types of its fields lie below it and do not know it; nor do states and
//! activations ([`super::state`]).

use super::library::Library;
use crate::symbolic::effects::shapes::Summaries;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::loops::types::LoopMemo;
use ir::Program;
use std::ops::{Deref, DerefMut};

/// The execution of code: what is known of loops and of kernels as a whole, and the models of library functions.
#[derive(Clone)]
pub struct Executor<'p> {
    context: ExecutionContext<'p>,
    pub(in crate::symbolic) library: &'p dyn Library,
    pub(in crate::symbolic) loops: LoopMemo,
    pub(in crate::symbolic) summaries: Summaries,
    /// Operations whose result may exceed its width.
    pub operations: crate::symbolic::exec::operations::OperationSites,
    /// Variables that held each number.
    pub named: crate::symbolic::exec::named_values::NamedValues,
}

impl<'p> Executor<'p> {
    #[must_use]
    pub fn new(program: &'p Program, library: &'p dyn Library) -> Self {
        Self {
            context: ExecutionContext::new(program),
            library,
            loops: LoopMemo::default(),
            summaries: Summaries::default(),
            operations: Default::default(),
            named: Default::default(),
        }
    }

    /// Records that something is known only where the number of the present loop's iteration is: a loop with a known number of
    /// iterations is executed one by one.
    pub fn is_known_by_number(&mut self) {
        self.loops.by_number = true;
    }
}

impl<'p> Deref for Executor<'p> {
    type Target = ExecutionContext<'p>;

    fn deref(&self) -> &Self::Target {
        &self.context
    }
}

impl DerefMut for Executor<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}
