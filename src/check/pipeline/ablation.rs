//! Ablation: accesses that are safe only because of an assumption (an assert that the build removes, or a condition
//! in scuba.toml).
//!
//! An assumption may have entered ranges and closed forms of loops as well as path conditions. So the program is
//! executed once more without any; an access that is less safe then rests on them.

use super::Engine;
use crate::context::{ArrayPosition, ExecutedLaunch};
use crate::rules::claims;
use base::axioms::OmittedAxioms;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Assumptions of one check.
#[derive(Debug, Default)]
pub(crate) struct CheckAssumptions {
    /// Whether any assumption affected a path.
    in_effect: bool,
    /// Assumptions in the conditions of an access, by position.
    at: BTreeMap<ArrayPosition, BTreeSet<Arc<str>>>,
    /// Asserts that the build removes and that a launch may violate, each with the assumption that it makes.
    asserts: BTreeMap<ArrayPosition, Arc<str>>,
    /// Safe positions that rest on assumptions.
    pub resting: BTreeSet<ArrayPosition>,
    /// Whether the second execution exhausted its budget: some positions may not rest on assumptions.
    unsure: bool,
    /// Positions in question, in the second execution. Nothing else is decided, and nothing is replayed.
    pub asked: Option<FxHashSet<ArrayPosition>>,
}

impl CheckAssumptions {
    /// Whether a position needs no decision.
    pub fn skips(&self, place: &ArrayPosition) -> bool {
        self.asked.as_ref().is_some_and(|asked| !asked.contains(place))
    }

    pub fn note(&mut self, e: &Executor<'_>, place: &ArrayPosition, ev: &AccessEvent) {
        if !e.assumptions.in_effect() {
            return;
        }
        self.in_effect = true;
        let found = e.assumptions_of(ev);
        if !found.is_empty() {
            self.at.entry(place.clone()).or_default().extend(found);
        }
    }

    /// Merges another thread's results for the same program.
    pub fn absorb(&mut self, other: Self) {
        self.in_effect |= other.in_effect;
        self.asserts.extend(other.asserts);
        for (place, what) in other.at {
            self.at.entry(place).or_default().extend(what);
        }
    }

    /// Records the claims of a launch that are asserts which the build removes.
    pub fn note_asserts(&mut self, e: &Executor<'_>, run: &ExecutedLaunch) {
        for event in &run.run.claims {
            if let (Some(assumption), Some(place)) = (&event.removed, claims::place(e.program, event)) {
                self.asserts.insert(place, assumption.clone());
            }
        }
    }

    /// Whether some safe access rests on the assumption at this position; always true except for asserts that the
    /// build removes.
    fn matters(&self, place: &ArrayPosition) -> bool {
        let Some(assert) = self.asserts.get(place) else { return true };
        self.resting.iter().any(|p| self.at.get(p).is_none_or(|all| all.contains(assert)))
    }

    /// Describes what a safe position rests on.
    pub fn words(&self, place: &ArrayPosition) -> String {
        let known: Vec<&str> = self.at.get(place).into_iter().flatten().map(Arc::as_ref).collect();
        let what = if known.is_empty() { "assumptions made before the launch".into() } else { known.join(" and ") };
        if self.unsure {
            format!("is safe, perhaps only under an assumption (the budget ended before that was decided): {what}")
        } else {
            format!("is safe only under an assumption: {what}")
        }
    }
}

impl Engine<'_> {
    /// Restricts decisions to these positions, without some axioms; `None`: all positions, as usual.
    pub(super) fn ask_only(&mut self, asked: Option<FxHashSet<ArrayPosition>>, without: OmittedAxioms) {
        self.cx.bare = asked.is_some();
        self.cx.without = without;
        self.assumed.asked = asked;
    }

    /// Finds the safe positions that rest on assumptions.
    pub(crate) fn without_assumptions(&mut self) {
        if !self.assumed.in_effect || self.cx.bare {
            return;
        }
        let safe: FxHashSet<ArrayPosition> = self.safe_places().collect();
        if safe.is_empty() {
            return;
        }
        let mut bare = self.again();
        bare.ask_only(Some(safe.clone()), OmittedAxioms::ASSUMPTIONS);
        if self.cx.is_hurried() {
            bare.cx.total = self.cx.total - self.cx.spent;
        }
        bare.visit();
        bare.unreached();
        self.cx.spent = self.cx.spent + bare.cx.spent;
        let resting = safe.into_iter().filter(|p| bare.rank(p).is_none_or(|r| Some(r) > self.rank(p))).collect();
        self.assumed.resting = resting;
        self.assumed.unsure = bare.lacks_budget();
    }

    /// Removes findings at violated asserts which the build removes and on which no safe access rests: memory is safe
    /// without them.
    pub(super) fn asserts_that_matter(&mut self) {
        let assumed = &self.assumed;
        self.places.retain(|place, t| t.outcome.rule() != Some(Rule::FalseAssumption) || assumed.matters(place));
    }
}
