//! Budget of an execution, the parts that are skipped for it, and why it ended early.
//!
//! In: steps and units of work as they are spent. Out: whether to go on, and the parts that cost most. Nothing here
//! depends on a clock except for the safety nets.

pub mod budget;
pub mod cost;
pub(in crate::symbolic) mod halt;
pub(in crate::symbolic) mod measure;

use base::reasons::{InterruptedCall, UnknownReason};
use base::work::{Allotment, done};
use budget::{Allowance, ExecutionBudget, Limit};
use cost::{HostPart, PartCosts, RunningPart};
use halt::Halt;

/// Remaining budget of one execution, the cost of its parts, and what ended it.
#[derive(Clone, Default)]
pub struct ExecutionLimits {
    budget: ExecutionBudget,
    effort: PartCosts,
    halt: Halt,
}

/// State of the limits that an execution aside replaces and restores.
pub(in crate::symbolic) struct SavedLimits {
    /// Remaining budget of the enclosing execution, and the budget of the one aside.
    left: Allowance,
    given: Allowance,
    halt: Halt,
}

impl ExecutionLimits {
    #[must_use]
    pub fn new(budget: ExecutionBudget, effort: PartCosts) -> Self {
        Self { budget, effort, halt: Halt::default() }
    }

    /// Sets the work that the execution may take from here on.
    pub const fn allot(&mut self, work: Allotment) {
        self.budget.allot(work);
    }

    /// Adds the terms of the kernels that the host launches to those that may be in memory.
    pub fn admit_kernels(&mut self) {
        self.budget.admit_kernels();
    }

    /// Returns the remaining budget of the execution.
    #[must_use]
    pub const fn left(&self) -> Allowance {
        self.budget.left()
    }

    /// Returns the costs of parts, and the facts about the program's code that they need.
    #[must_use]
    pub const fn effort(&self) -> &PartCosts {
        &self.effort
    }

    /// Counts a step; `terms` is the number of bytes of all terms.
    ///
    /// # Errors
    /// The limit that is reached.
    pub(in crate::symbolic) fn step(&mut self, terms: u64) -> Result<(), Limit> {
        self.budget.step(terms)
    }

    /// Deducts steps that were executed aside.
    pub(in crate::symbolic) const fn take_steps(&mut self, steps: u64) {
        self.budget.take_steps(steps);
    }

    /// Records that the current step visits this many objects, which may take longer than thousands of other steps.
    pub(in crate::symbolic) fn walk(&mut self, objects: usize) {
        self.budget.walk(objects);
    }

    /// Returns the maximum depth of nested calls that are followed.
    pub(in crate::symbolic) const fn depth(&self) -> usize {
        self.budget.depth()
    }

    /// Enters a loop to be executed iteration by iteration, with `iterations` iterations; returns the argument for
    /// [`Self::leave_iterations`]. `None` if the iterations would be too many, with those of the loops around it.
    pub(in crate::symbolic) fn enter_iterations(&mut self, part: HostPart, iterations: u32) -> Option<u64> {
        let before = self.budget.enter(iterations)?;
        self.effort.note_unrolled(part);
        Some(before)
    }

    pub(in crate::symbolic) const fn leave_iterations(&mut self, before: u64) {
        self.budget.leave(before);
    }
}

// ---- parts ----
impl ExecutionLimits {
    /// Begins a part; also returns the limit of work or time that is reached by then, since single steps may take
    /// long.
    fn begin(&mut self, part: HostPart) -> (RunningPart, Option<Limit>) {
        self.effort.enter(part);
        let at = done();
        (RunningPart { part, steps: self.budget.left().steps, at }, self.budget.is_over())
    }

    /// Ends a part that was begun, if it is measured.
    pub(in crate::symbolic) fn end(&mut self, begun: Option<RunningPart>) {
        let Some(b) = begun else { return };
        self.effort.leave(&b, self.budget.left().steps);
    }
}

// ---- ends ----
impl ExecutionLimits {
    pub(in crate::symbolic) fn give_up(&mut self, reason: UnknownReason) {
        self.halt.give_up(reason);
    }

    /// Records that something is skipped that may launch kernels, or access memory in one.
    pub fn miss(&mut self, reason: impl FnOnce() -> UnknownReason) {
        self.halt.miss(reason);
    }

    /// Ends the execution by a limit, if nothing has ended it yet; `amid` tells the call in which it is.
    pub(in crate::symbolic) fn end_by(&mut self, limit: Limit, amid: InterruptedCall) {
        self.halt.end_by(limit, amid);
    }

    /// Returns why the execution stopped early; then nothing that it did not reach may be called safe.
    #[must_use]
    pub const fn gave_up(&self) -> Option<&UnknownReason> {
        self.halt.gave_up()
    }

    /// Whether it has stopped early.
    pub(in crate::symbolic) fn is_at_an_end(&self) -> bool {
        self.halt.gave_up().is_some()
    }

    /// Whether nothing was skipped so far, and nothing ended the execution.
    pub(in crate::symbolic) const fn is_whole(&self) -> bool {
        self.halt.is_nothing()
    }

    /// Returns the limit that stopped it.
    #[must_use]
    pub const fn limit(&self) -> Option<Limit> {
        self.halt.limit()
    }

    /// Returns why the execution stopped early, or else what it skipped, and clears both for another execution.
    pub fn take_reason(&mut self) -> Option<UnknownReason> {
        std::mem::take(&mut self.halt).reason()
    }

    pub(in crate::symbolic) const fn halt(&self) -> &Halt {
        &self.halt
    }

    pub(in crate::symbolic) fn restore(&mut self, halt: Halt) {
        self.halt = halt;
    }

    /// Begins an execution aside with its own budget and no reasons recorded yet.
    pub(in crate::symbolic) fn begin_aside(&mut self, given: Allowance) -> SavedLimits {
        SavedLimits { left: self.budget.give(given), given, halt: std::mem::take(&mut self.halt) }
    }

    /// Ends the execution aside; returns the steps that it took, and its reasons.
    pub(in crate::symbolic) fn end_aside(&mut self, around: SavedLimits) -> (u64, Halt) {
        let taken = around.given.steps - self.budget.give(around.left).steps;
        (taken, std::mem::replace(&mut self.halt, around.halt))
    }
}
