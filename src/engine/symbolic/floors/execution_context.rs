//! The floor above memory: where an execution stands, and what it recorded.

use crate::symbolic::exec::events::Events;
use crate::symbolic::exec::function_facts::FunctionFacts;
use crate::symbolic::exec::site::Site;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::limits::ExecutionLimits;
use crate::symbolic::limits::budget::Limit;
use crate::symbolic::memory::scarce::FailedAllocations;
use base::reasons::InterruptedCall;
use ir::Program;
use std::ops::{Deref, DerefMut};

/// The call stack, the remaining budget, the recorded events, and facts of functions.
#[derive(Clone)]
pub struct ExecutionContext<'p> {
    memory: MemoryDomain<'p>,
    pub events: Events,
    pub(in crate::symbolic) functions: FunctionFacts,
    /// Remaining budget, and the reason for an early end.
    pub limits: ExecutionLimits,
    /// Whether the program is executed from its start, so that variables have their initial values there. A function
    /// without a known caller may be called at any time.
    pub from_the_start: bool,
    pub(crate) scarce: FailedAllocations,
    pub(crate) stack: Vec<Site>,
}

impl<'p> ExecutionContext<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            memory: MemoryDomain::new(program),
            events: Events::new(true),
            functions: FunctionFacts::default(),
            limits: ExecutionLimits::default(),
            from_the_start: false,
            scarce: Default::default(),
            stack: vec![],
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

    /// Returns the call that is being executed, for users who want to know what takes so long: the innermost one in their
    /// own sources.
    fn amid(&self) -> InterruptedCall {
        let place = |site: &Site| {
            let block = &self.program.func(site.func).blocks[site.block.index()];
            let loc = block.insts.get(site.inst as usize).map_or(block.term_loc, |i| i.loc);
            self.program.users_loc(site.func.module, loc)
        };
        let is_users = |site: &&Site| !self.program.func(site.func).is_library_model() && place(site).is_users();
        let Some(site) = self.stack.iter().rev().find(is_users).or_else(|| self.stack.last()) else {
            return InterruptedCall::default();
        };
        let at = place(site);
        let file = std::path::Path::new(&at.file).file_name().filter(|_| at.line > 0);
        InterruptedCall(file.map(|file| (file.to_string_lossy().into_owned(), at.line)))
    }
}

impl<'p> Deref for ExecutionContext<'p> {
    type Target = MemoryDomain<'p>;

    fn deref(&self) -> &Self::Target {
        &self.memory
    }
}

impl DerefMut for ExecutionContext<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.memory
    }
}
