//! What an execution may cost.
//!
//! In: limits. Out: whether one of them is reached, and which. It knows nothing of what is executed.
//!
//! Steps, work and the bytes of terms are counted: they end an execution at the same place every time. Clock and resident memory are
//! safety nets far above, which say that they were reached ([`nets`]).

use base::nets::{self, Net};
use base::reasons::{InTheCall, UnknownReason};
use base::work::{Allotment, charge, cost};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The nets are looked at once in so many steps: the looks cost nothing beside them.
const LOOK: u64 = 4096;

/// Objects after which the limits are looked at before that.
const LONG_WALK: usize = 1 << 14;

/// Of the bytes that a process may have in memory, terms may take one part in so many: the rest is for what is made of them, in as many
/// threads as there may be.
const TERMS: u64 = 4;

/// Rounds of loops in loops that are executed one by one, unless [`Allowance::rounds`] says otherwise. Paths through them are
/// merged round for round: their conditions, of which each names those of all rounds before it, take memory by the square of this.
const MOST_ROUNDS: u64 = 1024;

/// A limit that ends an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Steps,
    Work,
    Memory,
    Time,
}

impl Limit {
    /// Why an execution ended that reached it, in this call.
    pub(in crate::symbolic) const fn reason(self, at: InTheCall) -> UnknownReason {
        match self {
            Self::Steps | Self::Work => UnknownReason::ExecutionWork(at),
            Self::Memory => UnknownReason::ExecutionMemory(at),
            Self::Time => UnknownReason::ExecutionTime(at),
        }
    }
}

/// What one execution may take that another is given a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub steps: u64,
    /// Rounds that loops in loops may have together to be executed one by one.
    pub rounds: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { steps: 3_000_000, rounds: MOST_ROUNDS }
    }
}

/// Limits of one execution.
#[derive(Clone, Debug)]
pub struct Budget {
    left: Allowance,
    work: Allotment,
    /// Bytes that its terms may take: they are never freed before their execution is.
    terms: Option<u64>,
    /// Bytes that this process may have in memory, whatever for: a safety net.
    memory: Option<u64>,
    /// Set once nobody waits for the execution any more: then its time is over.
    over: Option<Arc<AtomicBool>>,
    /// Calls within calls.
    depth: usize,
    /// Rounds of the loops that are being executed one by one, multiplied.
    rounds: u64,
    /// Objects that steps walked over since the limits were looked at.
    walked: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            left: Allowance::default(),
            work: Allotment::UNLIMITED,
            terms: None,
            memory: None,
            over: None,
            depth: 256,
            rounds: 1,
            walked: 0,
        }
    }
}

impl Budget {
    /// `memory` is what this process may have, in bytes, terms included; `over` is set once nobody waits for the execution any more.
    #[must_use]
    pub fn new(work: Allotment, memory: Option<u64>, over: Option<Arc<AtomicBool>>) -> Self {
        Self { work, terms: memory.map(|m| m / TERMS), memory, over, ..Self::default() }
    }

    pub(super) const fn allot(&mut self, work: Allotment) {
        self.work = work;
    }

    pub(super) const fn left(&self) -> Allowance {
        self.left
    }

    /// Lets it take so much from here on; gives what was left.
    pub(super) const fn give(&mut self, allowance: Allowance) -> Allowance {
        std::mem::replace(&mut self.left, allowance)
    }

    pub(super) const fn take_steps(&mut self, steps: u64) {
        self.left.steps -= steps;
    }

    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    /// The limit of work or time that is reached.
    pub(super) fn is_over(&self) -> Option<Limit> {
        if self.work.is_spent() {
            return Some(Limit::Work);
        }
        self.is_late().then_some(Limit::Time)
    }

    /// Enters a loop that is to be executed round by round, and so often; gives what [`Self::leave`] wants. `None` where that would be
    /// too many, with the loops around it.
    pub(super) fn enter(&mut self, rounds: u32) -> Option<u64> {
        let before = self.rounds;
        let all = before * u64::from(rounds.max(1));
        if all > self.left.rounds {
            return None;
        }
        self.rounds = all;
        Some(before)
    }

    pub(super) const fn leave(&mut self, before: u64) {
        self.rounds = before;
    }

    /// Counts a step. `terms` are the bytes of those there are.
    ///
    /// # Errors
    /// The limit that is reached.
    pub(super) fn step(&mut self, terms: u64) -> Result<(), Limit> {
        charge(cost::STEP);
        self.left.steps = self.left.steps.checked_sub(1).ok_or(Limit::Steps)?;
        if self.work.is_spent() {
            return Err(Limit::Work);
        }
        if self.terms.is_some_and(|most| terms > most) {
            return Err(Limit::Memory);
        }
        if !self.left.steps.is_multiple_of(LOOK) && self.walked < LONG_WALK {
            return Ok(());
        }
        self.walked = 0;
        if self.is_late() {
            return Err(Limit::Time);
        }
        if self.memory.is_some_and(|most| resident().is_some_and(|now| now > most)) {
            nets::hit(Net::Memory);
            return Err(Limit::Memory);
        }
        Ok(())
    }

    /// Notes that the step at hand walks over so many objects, which may take longer than thousands of others.
    pub(super) fn walk(&mut self, objects: usize) {
        charge(cost::OBJECT * objects as u64);
        self.walked = self.walked.saturating_add(objects);
    }

    /// Whether its time is over, or nobody waits for it any more.
    fn is_late(&self) -> bool {
        nets::is_late() || self.over.as_ref().is_some_and(|o| o.load(Ordering::Relaxed))
    }
}

/// Bytes of this process that are in memory: the second field of `/proc/self/statm`, in pages (proc(5)). `None` where there is no
/// such file: the limit that the system itself keeps still holds.
pub fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Gives what was freed back to the system, where the C library keeps it: [`resident`] counts it until then.
pub fn give_back() {
    // SAFETY: takes no pointer; the allocator's own locks guard it.
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "a function of the C library")]
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowance, Budget, LONG_WALK, LOOK, Limit, resident};
    use base::work::{Allotment, Work, cost};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn steps(steps: u64) -> Allowance {
        Allowance { steps, ..Allowance::default() }
    }

    fn first(mut budget: Budget) -> (u64, Limit) {
        let all = budget.left.steps;
        loop {
            if let Err(why) = budget.step(7) {
                return (all - budget.left.steps, why);
            }
        }
    }

    #[test]
    fn after_a_long_walk_the_nets_are_looked_at() {
        let late =
            || Budget { left: steps(3 * LOOK), over: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
        let mut walked = late();
        walked.walk(LONG_WALK);
        assert_eq!((first(walked), first(late())), ((1, Limit::Time), (LOOK, Limit::Time)));
    }

    #[test]
    fn loops_in_loops_are_executed_up_to_a_thousand_rounds() {
        let mut budget = Budget::default();
        let outer = budget.enter(32).unwrap();
        let inner = budget.enter(32).unwrap();
        assert_eq!((budget.enter(2), budget.enter(0)), (None, Some(1024)));
        budget.leave(inner);
        assert_eq!(budget.enter(33), None);
        budget.leave(outer);
        assert!(budget.enter(33).is_some());
    }

    #[test]
    fn the_first_limit_that_is_reached_ends_it() {
        let budget = || Budget { left: steps(3 * LOOK), ..Budget::default() };
        assert_eq!(first(budget()), (3 * LOOK, Limit::Steps));
        // Each step is charged for, and what else is done between them.
        let of = |steps: u64| Allotment::of(Work::units(steps * cost::STEP));
        assert_eq!(first(Budget { work: of(10), ..budget() }), (10, Limit::Work));
        let mut walked = Budget { work: of(10), ..budget() };
        walked.walk(usize::try_from(4 * cost::STEP / cost::OBJECT).unwrap());
        assert_eq!(first(walked), (6, Limit::Work));
        assert_eq!(first(Budget { terms: Some(6), ..budget() }), (1, Limit::Memory));
        assert_eq!(first(Budget { terms: Some(7), ..budget() }).1, Limit::Steps);
        let now = resident().unwrap();
        assert!(now > 1 << 20, "{now}");
        assert_eq!(first(Budget { memory: Some(now * 100), ..budget() }).0, 3 * LOOK);
        assert_eq!(first(Budget { memory: Some(1 << 20), ..budget() }), (LOOK, Limit::Memory));
        let over = Arc::new(AtomicBool::new(false));
        assert_eq!(first(Budget { over: Some(over.clone()), ..budget() }).0, 3 * LOOK);
        over.store(true, Ordering::Relaxed);
        assert_eq!(first(Budget { over: Some(over), ..budget() }), (LOOK, Limit::Time));
    }
}
