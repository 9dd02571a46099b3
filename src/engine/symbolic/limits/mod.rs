//! What an execution may cost, which parts of it are left out for that, and why it ended early.
//!
//! In: steps and units of work as they are spent. Out: whether to go on, and the parts that cost most. Nothing here depends on a clock but the
//! safety nets.

pub mod budget;
pub mod cost;
mod halt;
pub(in crate::symbolic) mod measure;

use base::reasons::{InTheCall, UnknownReason};
use base::work::{Allotment, done};
use budget::{Allowance, Budget, Limit};
use cost::{Begun, Effort, Part};
use halt::Halt;

/// What one execution may still take, what its parts took, and what ended it.
#[derive(Clone, Default)]
pub struct Limits {
    budget: Budget,
    effort: Effort,
    halt: Halt,
}

/// What an execution aside has put away of that around it.
pub(in crate::symbolic) struct Around {
    /// What was left around it, and what it was given itself.
    left: Allowance,
    given: Allowance,
    halt: Halt,
}

impl Limits {
    #[must_use]
    pub fn new(budget: Budget, effort: Effort) -> Self {
        Self { budget, effort, halt: Halt::default() }
    }

    /// From here on it may take so much work.
    pub const fn allot(&mut self, work: Allotment) {
        self.budget.allot(work);
    }

    /// What an execution may still take.
    #[must_use]
    pub const fn left(&self) -> Allowance {
        self.budget.left()
    }

    /// What parts cost, and what is known of the program's code for that.
    #[must_use]
    pub const fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Counts a step; `terms` are the bytes of those there are.
    ///
    /// # Errors
    /// The limit that is reached.
    pub(in crate::symbolic) fn step(&mut self, terms: u64) -> Result<(), Limit> {
        self.budget.step(terms)
    }

    /// Takes steps that were executed aside.
    pub(in crate::symbolic) const fn take_steps(&mut self, steps: u64) {
        self.budget.take_steps(steps);
    }

    /// Notes that the step at hand walks over so many objects, which may take longer than thousands of others.
    pub(in crate::symbolic) fn walk(&mut self, objects: usize) {
        self.budget.walk(objects);
    }

    /// Calls within calls that are followed.
    pub(in crate::symbolic) const fn depth(&self) -> usize {
        self.budget.depth()
    }

    /// Enters a loop that is to be executed round by round, and so often; gives what [`Self::leave_rounds`] wants. `None` where that would
    /// be too many, with the loops around it.
    pub(in crate::symbolic) fn enter_rounds(&mut self, part: Part, rounds: u32) -> Option<u64> {
        let before = self.budget.enter(rounds)?;
        self.effort.note_unrolled(part);
        Some(before)
    }

    pub(in crate::symbolic) const fn leave_rounds(&mut self, before: u64) {
        self.budget.leave(before);
    }
}

// ---- parts ----
impl Limits {
    /// Begins a part, and says which limit of work or time is reached by then: steps may take long.
    fn begin(&mut self, part: Part) -> (Begun, Option<Limit>) {
        self.effort.enter(part);
        let at = done();
        (Begun { part, steps: self.budget.left().steps, at }, self.budget.is_over())
    }

    /// Ends a part that was begun, if it is measured.
    pub(in crate::symbolic) fn end(&mut self, begun: Option<Begun>) {
        let Some(b) = begun else { return };
        self.effort.leave(&b, self.budget.left().steps);
    }
}

// ---- ends ----
impl Limits {
    pub(in crate::symbolic) fn give_up(&mut self, reason: UnknownReason) {
        self.halt.give_up(reason);
    }

    /// Notes that something is passed by that may launch kernels, or access memory in one.
    pub(crate) fn miss(&mut self, reason: impl FnOnce() -> UnknownReason) {
        self.halt.miss(reason);
    }

    /// Ends the execution by a limit, if nothing has ended it yet; `amid` says where it is.
    pub(in crate::symbolic) fn end_by(&mut self, limit: Limit, amid: InTheCall) {
        self.halt.end_by(limit, amid);
    }

    /// Why the execution stopped early; then nothing that it did not reach may be called safe.
    #[must_use]
    pub const fn gave_up(&self) -> Option<&UnknownReason> {
        self.halt.gave_up()
    }

    /// Whether it has stopped early.
    pub(in crate::symbolic) fn is_at_an_end(&self) -> bool {
        self.halt.gave_up().is_some()
    }

    /// Whether nothing was passed by so far, and nothing ended it.
    pub(in crate::symbolic) const fn is_whole(&self) -> bool {
        self.halt.is_nothing()
    }

    /// The limit that stopped it.
    #[must_use]
    pub const fn limit(&self) -> Option<Limit> {
        self.halt.limit()
    }

    /// Why it stopped early, or else what it passed by; another execution may begin.
    pub fn take_reason(&mut self) -> Option<UnknownReason> {
        std::mem::take(&mut self.halt).reason()
    }

    pub(in crate::symbolic) const fn halt(&self) -> &Halt {
        &self.halt
    }

    pub(in crate::symbolic) fn restore(&mut self, halt: Halt) {
        self.halt = halt;
    }

    /// Begins an execution aside, which may take so much, and of which nothing is said yet.
    pub(in crate::symbolic) fn begin_aside(&mut self, given: Allowance) -> Around {
        Around { left: self.budget.give(given), given, halt: std::mem::take(&mut self.halt) }
    }

    /// Ends it: the steps that it took, and what there is to say against it.
    pub(in crate::symbolic) fn end_aside(&mut self, around: Around) -> (u64, Halt) {
        let taken = around.given.steps - self.budget.give(around.left).steps;
        (taken, std::mem::replace(&mut self.halt, around.halt))
    }
}
