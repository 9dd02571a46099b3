//! Range obligations: the machine operations that must not wrap for a proof to hold.
//!
//! A proof reads each [`Term::Wrap`] as the identity. This module proves each wrap that a proof rests on in range,
//! from facts that rest only on older wraps, so that none supports itself (an induction over the order in which terms
//! were built). In: the terms of a proof. Out: the wraps that are met, those that are not, and those that are the
//! identity wherever the facts hold.

use super::decide::{Decider, Search};
use super::obligation::Obligation;
use super::wrapping;
use crate::solver::{self, Answer, FreeTerms, SolverLimits, WrapMode};
use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

const ONE_RANGE: Work = Work::millis(1500);

/// Work for the range obligations of one obligation, as a multiple of that obligation's limit.
const UNMET_TIMES: u64 = 4;

/// Most searches for one range obligation without an answer.
const RANGE_TRIES: u32 = 3;

/// Most wraps beside those of a proof that are examined before a search in machine arithmetic.
const OTHER_WRAPS: usize = 32;

/// Range obligations that were met, with those that their proofs rest on.
pub(super) type MetRanges = FxHashMap<TermId, Vec<TermId>>;

/// Range obligations that were examined.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RangeObligations {
    pub open: Vec<TermId>,
    pub met: MetRanges,
}

impl Search<'_> {
    /// Returns the range obligations below the roots, except those below free terms, that do not follow from the
    /// facts or exceed the budget.
    pub(super) fn unmet(
        &mut self,
        a: &mut Arena,
        facts: TermId,
        roots: &[TermId],
        free: &FreeTerms,
    ) -> RangeObligations {
        let until = Allotment::of(self.limits.work * UNMET_TIMES).min(self.proofs).min(self.until);
        let mut found = RangeObligations::default();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut work: Vec<TermId> = self.decider.wraps_above(a, roots, free);
        while let Some(w) = work.pop() {
            if !seen.insert(w) {
                continue;
            }
            if until.is_spent() {
                self.cut = true;
                found.open.push(w);
                continue;
            }
            match self.in_range(a, facts, w) {
                Some(used) => {
                    work.extend(&used);
                    found.met.insert(w, used);
                }
                None => found.open.push(w),
            }
        }
        found
    }

    /// Returns the wraps in these terms that are the identity wherever the facts hold in machine arithmetic, with
    /// their arguments: wraps that are met and whose proof rests on such wraps alone. `met` holds those of earlier
    /// proofs; others are examined without Z3.
    pub(super) fn plain(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        goal: TermId,
        unmet: &[TermId],
        met: &MetRanges,
    ) -> FxHashMap<TermId, TermId> {
        let facts = a.conjuncts(o.facts);
        let mut wraps: Vec<TermId> =
            facts.iter().chain([&goal]).flat_map(|t| self.decider.wraps_of(a, *t)).chain(met.keys().copied()).collect();
        wraps.sort_unstable();
        wraps.dedup();
        let mut tries = 0;
        let mut plain: FxHashMap<TermId, TermId> = FxHashMap::default();
        // Older wraps first; each proof rests only on wraps already known to be the identity, so none supports
        // itself.
        for w in wraps {
            let Term::Wrap { arg, bits, signed } = *a.get(w) else { continue };
            if unmet.contains(&w) {
                continue;
            }
            let holds = match met.get(&w) {
                Some(rests) => rests.iter().all(|r| plain.contains_key(r)),
                None if tries >= OTHER_WRAPS => false,
                None => {
                    tries += 1;
                    self.bound_in_range(a, o.facts, &facts, (arg, bits, signed), &plain)
                }
            };
            if !holds {
                continue;
            }
            let arg = a.substitute(arg, &plain);
            plain.insert(w, arg);
        }
        plain
    }

    /// Returns whether the polynomial bound shows that a wrap's argument is in range, by a proof that rests on
    /// `plain` wraps alone.
    pub(super) fn bound_in_range(
        &mut self,
        a: &mut Arena,
        all: TermId,
        facts: &[TermId],
        (arg, bits, signed): (TermId, u32, bool),
        plain: &FxHashMap<TermId, TermId>,
    ) -> bool {
        let Interval { lo: Some(lo), hi: Some(hi) } = Interval::of_int(bits, signed) else { return false };
        let (lo, hi) = (a.int(lo), a.int(hi));
        let goals = [a.le(lo, arg), a.le(arg, hi)];
        goals.into_iter().all(|goal| {
            if a.as_bool(goal) == Some(true) {
                return true;
            }
            let Some((mut used, free)) = self.bound(a, all, facts, goal) else { return false };
            used.push(goal);
            self.decider.wraps_above(a, &used, &free).iter().all(|w| plain.contains_key(w))
        })
    }

    /// Proves that a wrap's argument is in range, from facts that rest only on older wraps. Returns the wraps that
    /// the proof rests on.
    pub(super) fn in_range(&mut self, a: &mut Arena, facts: TermId, w: TermId) -> Option<Vec<TermId>> {
        let Term::Wrap { arg, bits, signed } = *a.get(w) else { return Some(vec![]) };
        let older: Vec<TermId> =
            a.conjuncts(facts).into_iter().filter(|f| self.decider.wraps_of(a, *f).iter().all(|x| *x < w)).collect();
        let all = a.and_all(older.clone());
        let r = Interval::of_int(bits, signed);
        let (lo, hi) = (a.int(r.lo?), a.int(r.hi?));
        let (lower, upper) = (a.le(lo, arg), a.le(arg, hi));
        let mut rests = vec![];
        for goal in [lower, upper] {
            if a.as_bool(goal) == Some(true) {
                continue;
            }
            if self.decider.proof_of(a, &older, goal).is_none()
                && self
                    .decider
                    .models
                    .get(&goal)
                    .is_some_and(|m| m.iter().any(|m| m.refutes(a, &older, goal, WrapMode::Assume)))
            {
                return None;
            }
            // A range that is undecided under some facts is seldom decided under others.
            let limits = SolverLimits { work: self.limits.work.min(ONE_RANGE), ..self.limits };
            let tried = self.decider.open_ranges.get(&(goal, limits.work)).copied().unwrap_or(0);
            let answer = if tried < RANGE_TRIES {
                self.prove(a, all, &older, goal, &limits)
            } else {
                self.bound(a, all, &older, goal).map_or_else(
                    || {
                        self.cut = true;
                        Answer::Unknown(UnknownReason::SolverWork)
                    },
                    |(used, free)| Answer::Proved { by: solver::Prover::Poly, used, free },
                )
            };
            match answer {
                Answer::Proved { mut used, free, .. } => {
                    used.push(goal);
                    rests.extend(self.decider.wraps_above(a, &used, &free));
                }
                Answer::Model(m) => {
                    let known = self.decider.models.entry(goal).or_default();
                    if known.len() < 4 {
                        known.push(m);
                    }
                    return None;
                }
                Answer::Unknown(_) => {
                    self.decider.open_ranges.insert((goal, limits.work), tried + 1);
                    return None;
                }
            }
        }
        Some(rests)
    }
}

impl Decider {
    /// Returns the wraps below some roots, except those that are only below free terms.
    pub(super) fn wraps_above(&mut self, a: &Arena, roots: &[TermId], free: &FreeTerms) -> Vec<TermId> {
        if free.is_empty() {
            return roots.iter().flat_map(|r| self.wraps_of(a, *r)).collect();
        }
        let (mut found, mut seen, mut open) = (vec![], FxHashSet::default(), roots.to_vec());
        while let Some(t) = open.pop() {
            if free.contains(&t) || !seen.insert(t) {
                continue;
            }
            if matches!(a.get(t), Term::Wrap { .. }) {
                found.push(t);
            }
            open.extend(a.children(t));
        }
        found
    }

    pub(super) fn wraps_of(&mut self, a: &Arena, t: TermId) -> Vec<TermId> {
        if let Some(w) = self.wraps.get(&t) {
            return w.clone();
        }
        let w: Vec<TermId> = a.cone(&[t]).into_iter().filter(|x| matches!(a.get(*x), Term::Wrap { .. })).collect();
        self.wraps.insert(t, w.clone());
        w
    }

    pub(super) fn name(&self, a: &Arena, unmet: &[TermId]) -> Vec<String> {
        unmet.iter().map(|w| wrapping::name(a, *w)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::decide::{Decider, DecisionAttempt};
    use super::RANGE_TRIES;
    use base::work::Work;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind};

    /// The square of a difference is never negative, which takes a solver more work than there is.
    #[test]
    fn searches_for_a_range_that_find_nothing_are_counted() {
        let mut a = Arena::new();
        let [x, y] =
            ["x", "y"].map(|n| a.fresh(SymKind::Input(InputSource::World(n.into())), n, Interval::of_int(32, true)));
        let difference = a.sub(x, y);
        let square = a.mul(difference, difference);
        let (operation, facts) = (a.wrap(square, 64, false), a.bool(true));
        let mut decider = Decider::default();
        for tried in 1..=RANGE_TRIES + 1 {
            let mut search = decider.search(DecisionAttempt::default().with_work(Work::units(1000)));
            assert_eq!(search.in_range(&mut a, facts, operation), None);
            assert!(search.cut);
            assert_eq!(decider.open_ranges.values().copied().collect::<Vec<u32>>(), [tried]);
        }
    }
}
