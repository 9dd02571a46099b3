//! The executor: the data of one symbolic execution, one field for each subsystem.
//!
//! In: a [`Program`]. Out: [`Events`] over the terms of its arena. Its code is in the files of these folders, each
//! with an `impl Executor`: control flow in [`super::region`], instructions in [`super::instruction`], memory in
//! `memory/`, loops in `loops/`, calls in [`super::calls`] and `host/`. The types of its fields lie below it and do
//! not know it; nor do states and activations ([`super::state`]).

use super::events::Events;
use super::function_facts::FunctionFacts;
use super::library::Library;
use super::site::Site;
use crate::symbolic::effects::shapes::Summaries;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::limits::Limits;
use crate::symbolic::limits::budget::Limit;
use crate::symbolic::loops::types::LoopMemo;
use base::reasons::InTheCall;
use ir::Program;
use std::ops::{Deref, DerefMut};

#[derive(Clone)]
pub struct Executor<'p> {
    pub(crate) memory: MemoryDomain<'p>,
    pub(in crate::symbolic) library: &'p dyn Library,
    pub events: Events,
    pub(in crate::symbolic) loops: LoopMemo,
    pub(in crate::symbolic) functions: FunctionFacts,
    pub(in crate::symbolic) summaries: Summaries,
    /// Remaining budget, and the reason for an early end.
    pub limits: Limits,
    /// Whether the program is executed from its start, so that variables have their initial values there. A function
    /// without a known caller may be called at any time.
    pub(crate) from_the_start: bool,
    pub(crate) scarce: crate::symbolic::memory::scarce::Scarce,
    pub(crate) stack: Vec<Site>,
    /// Operations whose result may exceed its width.
    pub operations: crate::symbolic::exec::operations::Operations,
}

impl<'p> Executor<'p> {
    #[must_use]
    pub fn new(program: &'p Program, library: &'p dyn Library) -> Self {
        Self {
            memory: MemoryDomain::new(program),
            library,
            events: Events::new(true),
            loops: LoopMemo::default(),
            functions: FunctionFacts::default(),
            summaries: Summaries::default(),
            limits: Limits::default(),
            from_the_start: false,
            scarce: Default::default(),
            stack: vec![],
            operations: Default::default(),
        }
    }

    /// Counts a step; returns false once the budget is spent.
    pub(in crate::symbolic) fn step(&mut self) -> bool {
        if self.limits.is_at_an_end() {
            return false;
        }
        match self.limits.step(self.arena.bytes()) {
            Ok(()) => true,
            Err(limit) => {
                self.end_by(limit);
                false
            }
        }
    }

    pub(in crate::symbolic) fn end_by(&mut self, limit: Limit) {
        let amid = self.amid();
        self.limits.end_by(limit, amid);
    }

    /// Returns the call that is being executed, for users who want to know what takes so long.
    fn amid(&self) -> InTheCall {
        let Some(site) = self.stack.last() else { return InTheCall::default() };
        let block = &self.program.func(site.func).blocks[site.block.index()];
        let at =
            self.program.loc(site.func.module, block.insts.get(site.inst as usize).map_or(block.term_loc, |i| i.loc));
        let file = std::path::Path::new(&at.file).file_name().filter(|_| at.line > 0);
        InTheCall(file.map(|file| (file.to_string_lossy().into_owned(), at.line)))
    }
}

impl<'p> Deref for Executor<'p> {
    type Target = MemoryDomain<'p>;

    fn deref(&self) -> &Self::Target {
        &self.memory
    }
}

impl DerefMut for Executor<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.memory
    }
}
