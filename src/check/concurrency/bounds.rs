//! Invariants of integers that a kernel reads from memory which its threads write: `0 <= number < below`.
//!
//! Plain data, and the facts that it implies for terms that read such integers. [`super::invariants`] finds them by
//! induction.

use super::known::KnownBounds;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::context::ExchangedNumber;
use engine::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashSet;

/// The bound `0 <= number < below` on the integers of some width in an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentBound {
    pub loaded: ExchangedNumber,
    pub below: TermId,
    /// Whether the launch must also establish the bound, which then holds before it as well, even where the launch
    /// does not run.
    pub left: bool,
}

/// Invariants of the integers that a kernel reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invariants {
    pub(super) bounds: Vec<ContentBound>,
    /// Bounds on earlier memory contents.
    pub(super) known: KnownBounds,
    /// Operations that must not wrap for the invariants to hold.
    pub(super) operations: Vec<String>,
}

impl Invariants {
    /// Whether, after the launch, all integers of that width in the object are below `below`.
    pub fn leave(&self, l: &ExchangedNumber, below: TermId) -> bool {
        self.bounds.iter().any(|b| b.left && b.is(l, below))
    }

    /// Returns the operations that must not wrap for the bounds to hold.
    pub fn operations(&self) -> &[String] {
        &self.operations
    }

    /// Returns the bounds of every integer below the roots; `None` where there are none.
    pub fn facts(&self, e: &mut Executor<'_>, roots: &[TermId]) -> Option<TermId> {
        let before = self.known.facts(e, roots);
        if self.bounds.is_empty() {
            return before;
        }
        let choices: Vec<TermId> = e
            .arena
            .cone(roots)
            .into_iter()
            .filter(|t| matches!(e.arena.get(*t), Term::Ite(..) | Term::Or(_)))
            .collect();
        let chosen: FxHashSet<TermId> = e.arena.cone(&choices).into_iter().collect();
        let mut facts: Vec<TermId> = before.into_iter().collect();
        for s in e.arena.symbols_of(roots) {
            let Some(l) = e.loaded.get(&s).copied() else { continue };
            for b in self.bounds.iter().filter(|b| b.loaded.object == l.object && b.loaded.bits == l.bits) {
                let (t, zero) = (e.arena.symbol_term(s), e.arena.int(0));
                // What an atomic operation adds is below the bound too.
                let below = e.arena.add_const(b.below, -l.adds.unwrap_or(0).max(0));
                let (lower, upper) = (e.arena.le(zero, t), e.arena.lt(t, below));
                // Under a choice the integer may not have been read at all; a bound of at most zero then gives no upper
                // fact.
                let upper = if chosen.contains(&t) {
                    let none = e.arena.le_zero(below);
                    e.arena.or(none, upper)
                } else {
                    upper
                };
                facts.extend([lower, upper]);
            }
        }
        (!facts.is_empty()).then(|| e.arena.and_all(facts))
    }
}

impl ContentBound {
    pub(super) fn is(&self, l: &ExchangedNumber, below: TermId) -> bool {
        self.loaded.object == l.object && self.loaded.bits == l.bits && self.below == below
    }
}
