//! Summaries of the launches of a root: the outcomes that one proof for each kernel gives.
//!
//! In: the summaries, which `inference` makes. Out: outcomes of positions that need no look, and launches
//! that need no execution.

use super::findings::position::ArrayPosition;
use super::obligations::verdict::AccessVerdict;
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Launches that need not be executed, and what is safe at all of them.
#[derive(Debug, Default)]
pub(crate) struct LaunchSummaries {
    /// Positions that are safe at all launches of a kernel.
    pub safe: FxHashMap<FuncRef, FxHashSet<ArrayPosition>>,
    /// Launches at which nothing is left to decide, by their numbers.
    pub decided: FxHashSet<usize>,
    /// The last launch of each kind of arguments: it is executed, and its accesses are looked at, for findings that a
    /// proof of bounds does not show (an index that wraps or was never set, a row that is left).
    pub shown: FxHashSet<usize>,
    /// Outcomes of the launches that are not executed: operations that must not wrap, by kernel and position.
    pub outcomes: BTreeMap<FuncRef, BTreeMap<ArrayPosition, Vec<String>>>,
}

impl LaunchSummaries {
    /// Returns the outcome of a position at a launch, where it is known and no look may show more.
    pub fn final_outcome(&self, kernel: FuncRef, number: usize, place: &ArrayPosition) -> Option<AccessVerdict> {
        if self.shown.contains(&number) { None } else { self.outcome(kernel, number, place) }
    }

    /// Returns the outcome of a position at a launch, where it is known.
    pub fn outcome(&self, kernel: FuncRef, number: usize, place: &ArrayPosition) -> Option<AccessVerdict> {
        if self.safe.get(&kernel).is_some_and(|all| all.contains(place)) {
            return Some(AccessVerdict::Safe);
        }
        let outcomes = self.outcomes.get(&kernel).filter(|_| self.decided.contains(&number))?;
        outcomes.get(place).map(|wraps| unless_wraps(wraps))
    }

    /// Whether a launch needs no execution.
    pub fn skips(&self, number: usize) -> bool {
        self.decided.contains(&number) && !self.shown.contains(&number)
    }
}

/// Returns safe, provided that these operations do not wrap.
pub(crate) fn unless_wraps(operations: &[String]) -> AccessVerdict {
    if operations.is_empty() { AccessVerdict::Safe } else { AccessVerdict::SafeIfNoWrap(operations.to_vec()) }
}
