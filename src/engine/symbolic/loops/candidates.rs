//! Candidate invariants for Houdini (Flanagan and Leino, FME 2001): linear bounds of loop variables, and of sums and
//! differences of two.
//!
//! In: variables with their starts and next values, and the comparisons of an iteration. Out: bounds that may hold in
//! each iteration. [`super::houdini`] decides whether they do.

use super::houdini::BoundedVariable;
use super::sum::Iterations;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;

/// Maximum number of candidates: for one variable, and for all pairs.
const MAX_OF_ONE: usize = 14;
const MAX_OF_PAIRS: usize = 8;
/// Number of iterations through which constants are followed from constant starts.
const FIRST_ROUNDS: usize = 2;

impl Terms {
    /// Collects candidates for all variables.
    pub(super) fn candidates(
        &mut self,
        variables: &[BoundedVariable],
        iteration: &[TermId],
        r: &Iterations<'_>,
    ) -> Vec<TermId> {
        let compared = self.numbers_compared(variables, iteration);
        let first = self.first_values(variables);
        let mut all: Vec<TermId> = vec![];
        for (v, first) in variables.iter().zip(&first) {
            all.extend(self.bounds_of_one(v, first, variables, &compared, r));
        }
        all.extend(self.bounds_of_pairs(variables, &compared));
        all
    }

    /// Terms that an iteration compares with 0, and whether for equality. Wraps are dropped: the terms serve only as
    /// guesses.
    fn numbers_compared(&mut self, variables: &[BoundedVariable], iteration: &[TermId]) -> Vec<(TermId, bool)> {
        let nexts: Vec<TermId> = variables.iter().map(|v| v.next).chain(iteration.iter().copied()).collect();
        let compared: Vec<(TermId, bool)> = self
            .arena
            .cone(&nexts)
            .into_iter()
            .filter_map(|c| match self.arena.get(c) {
                Term::Le(t) => Some((*t, false)),
                Term::EqZ(t) => Some((*t, true)),
                _ => None,
            })
            .collect();
        compared.into_iter().map(|(t, equal)| (self.arena.unwrapped(t), equal)).collect()
    }

    /// Candidate bounds of one variable: 0, its first values, values to which it is set, terms with which it is
    /// compared, and starts of any variable.
    fn bounds_of_one(
        &mut self,
        v: &BoundedVariable,
        first: &[i128],
        variables: &[BoundedVariable],
        compared: &[(TermId, bool)],
        r: &Iterations<'_>,
    ) -> Vec<TermId> {
        // `above` holds upper bounds, `below` lower bounds.
        let (mut below, mut above): (Vec<TermId>, Vec<TermId>) = (vec![self.arena.int(0)], vec![]);
        if let (Some(lo), Some(hi)) = (first.iter().min(), first.iter().max()) {
            let (lo, hi) = (self.arena.int(*lo), self.arena.int(*hi));
            below.push(lo);
            above.push(hi);
        }
        let (bits, from) = (self.arena.range(v.read), self.arena.range(v.start));
        let mut set = from;
        for l in v.leaves.clone() {
            if l != v.read {
                let r = self.arena.range(l);
                if bits.contains(r) && bits != r {
                    set = set.union(r);
                }
            }
        }
        if let Some(hi) = set.hi.filter(|h| bits.hi.is_some_and(|b| *h < b)) {
            above.push(self.arena.int(hi));
        }
        for l in v.leaves.clone() {
            if self.is_old(l, r) {
                below.push(l);
                above.push(l);
            }
            if let Term::Rem(_, by) = *self.arena.get(l)
                && self.is_old(by, r)
            {
                above.push(self.arena.add_const(by, -1));
            }
        }
        below.push(v.start);
        above.push(v.start);
        self.bounds_by_comparison(v, compared, r, (&mut below, &mut above));
        for w in variables {
            above.push(w.start);
            below.push(w.start);
        }
        let mut bounds: Vec<TermId> = above.into_iter().map(|t| self.arena.le(v.read, t)).collect();
        bounds.extend(below.into_iter().map(|t| self.arena.le(t, v.read)).collect::<Vec<_>>());
        let mut own: Vec<TermId> = vec![];
        // Alternate between upper and lower bounds, so that the limit drops neither side.
        let half = bounds.len() / 2;
        let mut order: Vec<TermId> = (0..bounds.len())
            .map(|i| bounds[if i % 2 == 0 { i / 2 } else { (half + i / 2).min(bounds.len() - 1) }])
            .collect();
        order.extend(bounds);
        for b in order {
            if own.len() < MAX_OF_ONE && self.arena.as_bool(b).is_none() && !own.contains(&b) {
                own.push(b);
            }
        }
        own
    }

    /// Adds bounds from comparisons of a variable, or of values to which it is set.
    fn bounds_by_comparison(
        &mut self,
        v: &BoundedVariable,
        compared: &[(TermId, bool)],
        r: &Iterations<'_>,
        (below, above): (&mut Vec<TermId>, &mut Vec<TermId>),
    ) {
        let mut ends: Vec<TermId> = v.leaves.iter().map(|l| self.arena.unwrapped(*l)).collect();
        ends.retain(|l| *l != v.read);
        ends.insert(0, v.read);
        for (t, equal) in compared {
            for l in &ends {
                let (rest, back) = (self.arena.sub(*t, *l), self.arena.add(*t, *l));
                // l + rest <= 0, or back - l <= 0.
                if self.is_old(rest, r) {
                    let most = self.arena.neg(rest);
                    // If the comparison is false, l > most.
                    above.push(most);
                    below.push(self.arena.add_const(most, 1));
                    if *equal {
                        below.push(most);
                        above.push(self.arena.add_const(most, -1));
                    }
                }
                if self.is_old(back, r) {
                    below.push(back);
                    above.push(self.arena.add_const(back, -1));
                    if *equal {
                        above.push(back);
                        below.push(self.arena.add_const(back, 1));
                    }
                }
            }
        }
    }

    /// Candidate bounds of sums and differences of two variables.
    fn bounds_of_pairs(&mut self, variables: &[BoundedVariable], compared: &[(TermId, bool)]) -> Vec<TermId> {
        let (mut pairs, mut sums) = (vec![], vec![]);
        for (i, v) in variables.iter().enumerate() {
            for w in &variables[i + 1..] {
                let (now, then) = (self.arena.add(v.read, w.read), self.arena.add(v.start, w.start));
                sums.extend([self.arena.le(now, then), self.arena.le(then, now)]);
                let apart = self.arena.sub(v.read, w.read);
                for (t, _) in compared {
                    let (rest, back) = (self.arena.sub(*t, apart), self.arena.add(*t, apart));
                    if self.arena.as_int(rest).is_some() {
                        for d in [1, 0, -1] {
                            let t = self.arena.add_const(apart, d);
                            pairs.push(self.arena.le_zero(t));
                        }
                    }
                    if self.arena.as_int(back).is_some() {
                        for d in [1, 0, -1] {
                            let t = self.arena.neg(apart);
                            let t = self.arena.add_const(t, d);
                            pairs.push(self.arena.le_zero(t));
                        }
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.extend(sums);
        pairs.truncate(MAX_OF_PAIRS);
        pairs
    }

    /// Whether a term is older than the loop.
    pub(super) fn is_old(&self, t: TermId, r: &Iterations<'_>) -> bool {
        self.only_old(t, r.mark, r.version, None)
    }

    /// Values of the variables in the first iterations, as far as they are constants.
    pub(super) fn first_values(&mut self, variables: &[BoundedVariable]) -> Vec<Vec<i128>> {
        let mut values: Vec<Vec<i128>> =
            variables.iter().map(|v| self.arena.as_int(v.start).into_iter().collect()).collect();
        for _ in 0..FIRST_ROUNDS {
            let mut now: FxHashMap<TermId, TermId> = FxHashMap::default();
            for (v, seen) in variables.iter().zip(&values) {
                if let Some(last) = seen.last() {
                    let last = self.arena.int(*last);
                    now.insert(v.read, last);
                }
            }
            for (v, seen) in variables.iter().zip(&mut values) {
                let next = self.arena.substitute(v.next, &now);
                if let Some(n) = self.arena.as_int(next)
                    && !seen.is_empty()
                {
                    seen.push(n);
                }
            }
        }
        values
    }
}
