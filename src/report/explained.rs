//! Texts about a finding for places other than a report: what happens, what limits it, what to do.

use crate::human;
use finding::Finding;

/// Returns how the finding comes about: the counterexample where there is one, then notes.
#[must_use]
pub fn notes(f: &Finding) -> Vec<String> {
    human::notes(f)
}

/// Returns the advice.
#[must_use]
pub fn help(f: &Finding) -> String {
    human::help(f)
}
