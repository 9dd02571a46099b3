//! Variables of host code by the numbers that they hold: messages name a size as the source does.
//!
//! In: loads and stores of host code. Out: for each number the sites that read or wrote it. Nothing is decided by
//! them.

use super::executor::Executor;
use super::site::Site;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::{Term, TermId};
use ir::{Inst, Op, Operand, Side};
use rustc_hash::FxHashMap;

/// Most sites of one number in one function, and in all.
const IN_FUNCTION: usize = 4;
const IN_ALL: usize = 32;

/// Loads and stores of host code by their number, in execution order. Constants are left out.
#[derive(Clone, Debug, Default)]
pub struct NamedValues {
    sites: FxHashMap<TermId, Vec<Site>>,
}

impl NamedValues {
    /// Returns the sites that read or wrote a number.
    #[must_use]
    pub fn of(&self, t: TermId) -> &[Site] {
        self.sites.get(&t).map_or(&[], Vec::as_slice)
    }

    /// Returns all numbers with their sites, in the order of the numbers.
    #[must_use]
    pub fn all(&self) -> Vec<(TermId, &[Site])> {
        let mut all: Vec<_> = self.sites.iter().map(|(t, sites)| (*t, sites.as_slice())).collect();
        all.sort_unstable_by_key(|(t, _)| *t);
        all
    }
}

impl Executor<'_> {
    /// Records the number that a load of host code gave, or that a store wrote.
    pub(super) fn note_named(&mut self, fr: &Activation, inst: &Inst, site: Site) {
        if self.side != Side::Host {
            return;
        }
        let value = match &inst.op {
            Op::Load { .. } => inst.result.and_then(|r| fr.env[r.index()].as_ref()),
            Op::Store { value: Operand::Value(v), .. } => fr.env[v.index()].as_ref(),
            _ => None,
        };
        let Some(Value::Int(t)) = value else { return };
        if matches!(self.arena.get(*t), Term::Int(_)) {
            return;
        }
        let known = self.named.sites.entry(*t).or_default();
        let of_function = known.iter().filter(|s| s.func == site.func).count();
        if known.len() < IN_ALL && of_function < IN_FUNCTION && !known.contains(&site) {
            known.push(site);
        }
    }
}
