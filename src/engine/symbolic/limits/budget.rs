//! Budget of one execution.
//!
//! In: limits. Out: whether one of them is reached, and which. The budget is independent of what is executed.
//!
//! Steps, work and the bytes of terms are counted: they end an execution at the same point every time. Clock and
//! resident memory are safety nets far above, which report that they were reached ([`nets`]).

use base::nets::{self, Net};
use base::reasons::{InterruptedCall, UnknownReason};
use base::work::{Allotment, charge, cost};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of steps between two checks of the safety nets: at that distance their cost is negligible.
const LOOK: u64 = 4096;

/// Number of visited objects after which the safety nets are checked earlier.
const LONG_WALK: usize = 1 << 14;

/// Terms of a root may take one in `TERMS` of the bytes that a process may have in memory, and with those of the kernels
/// that it launches one in `WITH_KERNELS`: the rest is for what is made of them, in as many threads as there may be.
const TERMS: u64 = 4;
const WITH_KERNELS: u64 = 2;

/// Maximum product of the iteration counts of nested loops that are executed iteration by iteration, unless
/// [`Allowance::iterations`] sets another. The executor merges paths through them after each iteration. Each condition
/// names those of all earlier iterations, so they take memory quadratic in this number.
const MAX_ROUNDS: u64 = 1024;

/// Limit that ends an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Steps,
    Work,
    Memory,
    Time,
}

impl Limit {
    /// Returns the reason why an execution ended at this limit, in this call.
    pub(in crate::symbolic) const fn reason(self, at: InterruptedCall) -> UnknownReason {
        match self {
            Self::Steps | Self::Work => UnknownReason::ExecutionWork(at),
            Self::Memory => UnknownReason::ExecutionMemory(at),
            Self::Time => UnknownReason::ExecutionTime(at),
        }
    }
}

/// Budget of one execution, of which it may give a part to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub steps: u64,
    /// Maximum product of the iteration counts of nested loops that are executed iteration by iteration.
    pub iterations: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { steps: 3_000_000, iterations: MAX_ROUNDS }
    }
}

/// Limits of one execution.
#[derive(Clone, Debug)]
pub struct ExecutionBudget {
    left: Allowance,
    work: Allotment,
    /// Maximum number of bytes of its terms, which are not freed before the execution is.
    terms: Option<u64>,
    /// Maximum number of bytes that this process may have in memory for any purpose: a safety net.
    memory: Option<u64>,
    /// Set once nobody waits for the execution any more; its time is then over.
    over: Option<Arc<AtomicBool>>,
    /// Maximum depth of nested calls.
    depth: usize,
    /// Product of the iteration counts of the loops that are being executed iteration by iteration.
    iterations: u64,
    /// Number of objects that steps visited since the last check of the limits.
    walked: usize,
}

impl Default for ExecutionBudget {
    fn default() -> Self {
        Self {
            left: Allowance::default(),
            work: Allotment::UNLIMITED,
            terms: None,
            memory: None,
            over: None,
            depth: 256,
            iterations: 1,
            walked: 0,
        }
    }
}

impl ExecutionBudget {
    /// `memory` is the number of bytes that this process may have, terms included; `over` is set once nobody waits for
    /// the execution any more.
    #[must_use]
    pub fn new(work: Allotment, memory: Option<u64>, over: Option<Arc<AtomicBool>>) -> Self {
        Self { work, terms: memory.map(|m| m / TERMS), memory, over, ..Self::default() }
    }

    /// Adds the terms of kernels to those that the host may have.
    pub(super) fn admit_kernels(&mut self) {
        self.terms = self.memory.map(|m| m / WITH_KERNELS);
    }

    pub(super) const fn allot(&mut self, work: Allotment) {
        self.work = work;
    }

    pub(super) const fn left(&self) -> Allowance {
        self.left
    }

    /// Sets the remaining budget; returns the previous one.
    pub(super) const fn give(&mut self, allowance: Allowance) -> Allowance {
        std::mem::replace(&mut self.left, allowance)
    }

    pub(super) const fn take_steps(&mut self, steps: u64) {
        self.left.steps -= steps;
    }

    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the limit of work or time that is reached.
    pub(super) fn is_over(&self) -> Option<Limit> {
        if self.work.is_spent() {
            return Some(Limit::Work);
        }
        self.is_late().then_some(Limit::Time)
    }

    /// Enters a loop to be executed iteration by iteration, with `iterations` iterations; returns the argument for
    /// [`Self::leave`]. `None` if the iterations would be too many, with those of the loops around it.
    pub(super) fn enter(&mut self, iterations: u32) -> Option<u64> {
        let before = self.iterations;
        let all = before * u64::from(iterations.max(1));
        if all > self.left.iterations {
            return None;
        }
        self.iterations = all;
        Some(before)
    }

    pub(super) const fn leave(&mut self, before: u64) {
        self.iterations = before;
    }

    /// Counts a step; `terms` is the number of bytes of all terms.
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

    /// Records that the current step visits this many objects, which may take longer than thousands of other steps.
    pub(super) fn walk(&mut self, objects: usize) {
        charge(cost::OBJECT * objects as u64);
        self.walked = self.walked.saturating_add(objects);
    }

    /// Whether the execution's time is over, or nobody waits for it any more.
    fn is_late(&self) -> bool {
        nets::is_late() || self.over.as_ref().is_some_and(|o| o.load(Ordering::Relaxed))
    }
}

/// Returns the resident bytes of this process: the second field of `/proc/self/statm`, in pages (proc(5)). `None` if
/// there is no such file: the limit of the system itself still holds.
pub fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Returns freed memory to the system, where the C library keeps it: [`resident`] counts it until then.
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
    use super::{Allowance, ExecutionBudget, LONG_WALK, LOOK, Limit, resident};
    use base::work::{Allotment, Work, cost};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn steps(steps: u64) -> Allowance {
        Allowance { steps, ..Allowance::default() }
    }

    fn first(mut budget: ExecutionBudget) -> (u64, Limit) {
        let all = budget.left.steps;
        loop {
            if let Err(why) = budget.step(7) {
                return (all - budget.left.steps, why);
            }
        }
    }

    #[test]
    fn after_a_long_walk_the_nets_are_looked_at() {
        let late = || ExecutionBudget {
            left: steps(3 * LOOK),
            over: Some(Arc::new(AtomicBool::new(true))),
            ..ExecutionBudget::default()
        };
        let mut walked = late();
        walked.walk(LONG_WALK);
        assert_eq!((first(walked), first(late())), ((1, Limit::Time), (LOOK, Limit::Time)));
    }

    #[test]
    fn loops_in_loops_are_executed_up_to_a_thousand_iterations() {
        let mut budget = ExecutionBudget::default();
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
        let budget = || ExecutionBudget { left: steps(3 * LOOK), ..ExecutionBudget::default() };
        assert_eq!(first(budget()), (3 * LOOK, Limit::Steps));
        // Each step is charged, and other work between steps.
        let of = |steps: u64| Allotment::of(Work::units(steps * cost::STEP));
        assert_eq!(first(ExecutionBudget { work: of(10), ..budget() }), (10, Limit::Work));
        let mut walked = ExecutionBudget { work: of(10), ..budget() };
        walked.walk(usize::try_from(4 * cost::STEP / cost::OBJECT).unwrap());
        assert_eq!(first(walked), (6, Limit::Work));
        assert_eq!(first(ExecutionBudget { terms: Some(6), ..budget() }), (1, Limit::Memory));
        assert_eq!(first(ExecutionBudget { terms: Some(7), ..budget() }).1, Limit::Steps);
        let mut with_kernels = ExecutionBudget::new(Allotment::UNLIMITED, Some(4000), None);
        assert_eq!(with_kernels.terms, Some(1000));
        with_kernels.admit_kernels();
        assert_eq!(with_kernels.terms, Some(2000));
        let now = resident().unwrap();
        assert!(now > 1 << 20, "{now}");
        assert_eq!(first(ExecutionBudget { memory: Some(now * 100), ..budget() }).0, 3 * LOOK);
        assert_eq!(first(ExecutionBudget { memory: Some(1 << 20), ..budget() }), (LOOK, Limit::Memory));
        let over = Arc::new(AtomicBool::new(false));
        assert_eq!(first(ExecutionBudget { over: Some(over.clone()), ..budget() }).0, 3 * LOOK);
        over.store(true, Ordering::Relaxed);
        assert_eq!(first(ExecutionBudget { over: Some(over), ..budget() }), (LOOK, Limit::Time));
    }
}
