//! Contradictions between linear integer comparisons, by Fourier-Motzkin elimination with rounded constants.
//!
//! In: facts of an [`Arena`]. Out: whether a goal follows from them. A non-linear term is an unknown, with consequences
//! of its definition: quotients, remainders, bits, interpretations as machine integers. No clock is used: results are
//! the same on every machine.

use super::arena::Arena;
use super::interval::Interval;
use super::term::{Term, TermId};
use base::polynomial::{combined, gcd};
use base::work::{charge, cost};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::rc::Rc;

/// Maximum number of comparisons at a time.
const MAX_ROWS: usize = 240;
/// Maximum number of unknowns in one comparison.
const MAX_UNKNOWNS: usize = 16;
/// Maximum number of unknowns whose definitions are read.
const MAX_DEFINED: usize = 40;
/// Maximum depth of nested searches for conditions of definitions.
const DEPTH: u32 = 3;
/// Maximum depth of nested case splits.
const SPLITS: u32 = 6;
/// Maximum number of members of a disjunction that is split.
const MAX_MEMBERS: usize = 3;
/// Budget of one search, in terms of comparisons, and the cost of reading a definition in this unit.
const MAX_WORK: u64 = 1 << 14;
const DEFINITION: u64 = 32;

/// Comparison `Σ coefficient · unknown + constant <= 0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct LinearRow {
    terms: Vec<(TermId, i128)>,
    constant: i128,
}

/// Facts as linear comparisons.
#[derive(Default)]
pub struct Linear {
    rows: Vec<LinearRow>,
    unequal: Vec<TermId>,
    /// Disjunctions found while splitting: in each, at least one member holds.
    either: Vec<Vec<TermId>>,
    defined: FxHashSet<TermId>,
    /// Number of nested searches.
    depth: u32,
    /// Remaining budget, in terms of comparisons.
    work: Rc<Cell<u64>>,
}

impl LinearRow {
    fn of(arena: &mut Arena, t: TermId) -> Option<Self> {
        let mut row = Self { terms: vec![], constant: 0 };
        for (m, c) in arena.poly(t).terms {
            match m.as_slice() {
                [] => row.constant = c,
                [x] => row.terms.push((*x, c)),
                // A product is an unknown.
                _ => {
                    let x = arena.from_poly(super::term::Poly { terms: vec![(m.clone(), 1)] });
                    row.terms.push((x, c));
                }
            }
        }
        row.terms.sort_unstable_by_key(|t| t.0);
        (row.terms.len() <= MAX_UNKNOWNS).then(|| row.tightened())
    }

    /// Divides by the common factor of the coefficients; the constant is rounded up, since all unknowns are integers.
    fn tightened(mut self) -> Self {
        let g = self.terms.iter().fold(0i128, |g, (_, c)| gcd(g, *c));
        if g > 1 {
            for (_, c) in &mut self.terms {
                *c /= g;
            }
            self.constant = -(-self.constant).div_euclid(g);
        }
        self
    }

    fn coefficient(&self, x: TermId) -> i128 {
        self.terms.binary_search_by_key(&x, |t| t.0).map_or(0, |i| self.terms[i].1)
    }

    /// Returns `self · a + other · b`, for positive factors.
    fn plus(&self, a: i128, other: &Self, b: i128) -> Option<Self> {
        let terms = combined(&self.terms, a, &other.terms, b)?;
        let constant = self.constant.checked_mul(a)?.checked_add(other.constant.checked_mul(b)?)?;
        (terms.len() <= MAX_UNKNOWNS).then(|| Self { terms, constant }.tightened())
    }
}

impl Linear {
    /// Builds the comparisons; `work` is the remaining budget in terms of comparisons, shared with others.
    #[must_use]
    pub fn new(arena: &mut Arena, facts: &[TermId], work: &Rc<Cell<u64>>) -> Self {
        let mut all = Self { work: work.clone(), ..Self::default() };
        for f in facts {
            all.add(arena, *f);
        }
        all.either.clear();
        let unequal = std::mem::take(&mut all.unequal);
        all.define(arena, 0);
        for t in unequal {
            let minus = arena.neg(t);
            for side in [t, minus] {
                // If it is not 0 and at most 0, it is negative.
                let at_most = arena.le_zero(side);
                if all.implies(arena, at_most) {
                    let below = arena.add_const(side, 1);
                    let below = arena.le_zero(below);
                    all.add(arena, below);
                    break;
                }
            }
        }
        all
    }

    fn add(&mut self, arena: &mut Arena, fact: TermId) {
        match arena.get(fact).clone() {
            Term::And(v) => {
                for f in v {
                    self.add(arena, f);
                }
            }
            Term::Le(t) => self.at_most_zero(arena, t),
            Term::EqZ(t) => self.zero(arena, t),
            Term::Not(x) => {
                if let Term::EqZ(t) = arena.get(x) {
                    self.unequal.push(*t);
                }
            }
            Term::Or(v) if v.len() <= MAX_MEMBERS => self.either.push(v),
            Term::False => self.rows.push(LinearRow { terms: vec![], constant: 1 }),
            _ => {}
        }
    }

    fn spend(&self, work: u64) {
        charge(work.saturating_mul(cost::ELIMINATE));
        self.work.set(self.work.get().saturating_sub(work));
    }

    fn at_most_zero(&mut self, arena: &mut Arena, t: TermId) {
        if let Some(row) = LinearRow::of(arena, t) {
            self.rows.push(row);
        }
    }

    fn zero(&mut self, arena: &mut Arena, t: TermId) {
        let minus = arena.neg(t);
        self.at_most_zero(arena, t);
        self.at_most_zero(arena, minus);
    }

    /// Adds the definitions of unknowns, starting with the comparison of this index.
    fn define(&mut self, arena: &mut Arena, from: usize) {
        let mut at = from;
        while at < self.rows.len() && self.defined.len() < MAX_DEFINED && self.work.get() > 0 {
            let unknowns: Vec<TermId> = self.rows[at].terms.iter().map(|t| t.0).collect();
            at += 1;
            for x in unknowns {
                if !self.defined.insert(x) {
                    continue;
                }
                self.spend(DEFINITION);
                self.define_one(arena, x);
            }
        }
    }

    fn define_one(&mut self, arena: &mut Arena, x: TermId) {
        let range = arena.range(x);
        if let Some(lo) = range.lo {
            let lo = arena.int(lo);
            let t = arena.sub(lo, x);
            self.at_most_zero(arena, t);
        }
        if let Some(hi) = range.hi {
            let hi = arena.int(hi);
            let t = arena.sub(x, hi);
            self.at_most_zero(arena, t);
        }
        match arena.get(x).clone() {
            Term::FloorDiv(a, c) => self.quotient(arena, x, a, c),
            Term::Div(a, b) => {
                if let Some(c) = arena.as_int(b).filter(|c| *c > 0) {
                    // Truncation towards zero: the product differs by less than the divisor, in either direction.
                    let whole = arena.scale(x, c);
                    let away = arena.sub(whole, a);
                    for t in [away, arena.neg(away)] {
                        let t = arena.add_const(t, 1 - c);
                        self.at_most_zero(arena, t);
                    }
                    if self.is_at_least(arena, a, 0) {
                        self.quotient(arena, x, a, c);
                    }
                }
            }
            Term::Mod(a, _) if self.is_at_least(arena, a, 0) => {
                let t = arena.sub(x, a);
                self.at_most_zero(arena, t);
            }
            Term::Rem(a, b) if self.is_at_least(arena, b, 1) => {
                let below = arena.sub(x, b);
                let below = arena.add_const(below, 1);
                self.at_most_zero(arena, below);
                if self.is_at_least(arena, a, 0) {
                    let (minus, less) = (arena.neg(x), arena.sub(x, a));
                    self.at_most_zero(arena, minus);
                    self.at_most_zero(arena, less);
                }
            }
            Term::Wrap { arg, bits, signed } => {
                let Interval { lo: Some(lo), hi: Some(hi) } = Interval::of_int(bits, signed) else { return };
                let minus = arena.neg(arg);
                if self.is_at_least(arena, arg, lo) && self.is_at_least(arena, minus, -hi) {
                    let t = arena.sub(x, arg);
                    self.zero(arena, t);
                }
            }
            Term::BitAnd(a, b, _) => {
                for side in [a, b] {
                    if self.is_at_least(arena, side, 0) {
                        let t = arena.sub(x, side);
                        self.at_most_zero(arena, t);
                    }
                }
            }
            Term::BitOr(a, b, _) | Term::BitXor(a, b, _) => {
                if !self.is_at_least(arena, a, 0) || !self.is_at_least(arena, b, 0) {
                    return;
                }
                let sum = arena.add(a, b);
                let t = arena.sub(x, sum);
                self.at_most_zero(arena, t);
                // No bit is set above the highest bit of both.
                let most = (1..=64).find(|bits| {
                    [a, b].into_iter().all(|side| {
                        let minus = arena.neg(side);
                        self.is_at_least(arena, minus, 1 - (1i128 << bits))
                    })
                });
                if let Some(bits) = most {
                    let t = arena.add_const(x, 1 - (1i128 << bits));
                    self.at_most_zero(arena, t);
                }
            }
            _ => {}
        }
    }

    /// Adds that `q` is the floor of `a / c`.
    fn quotient(&mut self, arena: &mut Arena, q: TermId, a: TermId, c: i128) {
        let whole = arena.scale(q, c);
        let (over, under) = (arena.sub(whole, a), arena.sub(a, whole));
        let under = arena.add_const(under, 1 - c);
        self.at_most_zero(arena, over);
        self.at_most_zero(arena, under);
    }

    fn is_at_least(&mut self, arena: &mut Arena, t: TermId, least: i128) -> bool {
        if arena.range(t).lo.is_some_and(|l| l >= least) {
            return true;
        }
        if self.depth >= DEPTH {
            return false;
        }
        let least = arena.int(least);
        let goal = arena.le(least, t);
        self.implies(arena, goal)
    }

    /// Whether a goal follows from the facts.
    pub fn implies(&mut self, arena: &mut Arena, goal: TermId) -> bool {
        match arena.get(goal).clone() {
            Term::True => true,
            Term::And(v) => v.into_iter().all(|g| self.implies(arena, g)),
            Term::Le(t) => self.excludes(arena, t),
            Term::EqZ(t) => {
                let minus = arena.neg(t);
                self.excludes(arena, t) && self.excludes(arena, minus)
            }
            _ => false,
        }
    }

    /// Whether `t > 0` contradicts the facts.
    fn excludes(&mut self, arena: &mut Arena, t: TermId) -> bool {
        let (kept, defined) = (self.rows.len(), self.defined.clone());
        let minus = arena.neg(t);
        let more = arena.add_const(minus, 1);
        self.at_most_zero(arena, more);
        if self.rows.len() == kept {
            return false;
        }
        self.depth += 1;
        self.define(arena, kept);
        let found = self.contradict(arena, SPLITS, &mut FxHashSet::default());
        self.depth -= 1;
        self.rows.truncate(kept);
        self.defined = defined;
        found
    }
}

impl Linear {
    /// Whether the facts contradict each other, with case splits if needed.
    fn contradict(&mut self, arena: &mut Arena, splits: u32, split: &mut FxHashSet<TermId>) -> bool {
        let before = self.work.get().min(MAX_WORK);
        let mut work = before;
        let found = contradict(self.rows.clone(), &mut work);
        self.spend(before - work);
        if found || splits == 0 || work == 0 || self.depth > 1 {
            return found;
        }
        // Split disjunctions from earlier splits first, then choices in the goal, which is the last fact.
        if let Some(members) = self.either.pop() {
            let all = members.iter().all(|m| self.contradict_with(arena, (*m, None), splits, split));
            self.either.push(members);
            return all;
        }
        let choice = self
            .rows
            .iter()
            .rev()
            .flat_map(|r| r.terms.iter().map(|t| t.0))
            .find(|x| matches!(arena.get(*x), Term::Ite(..)) && !split.contains(x));
        let Some(x) = choice else { return false };
        let Term::Ite(c, a, b) = *arena.get(x) else { return false };
        split.insert(x);
        let no = arena.not(c);
        let both = [(c, a), (no, b)]
            .into_iter()
            .all(|(c, value)| self.contradict_with(arena, (c, Some((x, value))), splits, split));
        split.remove(&x);
        both
    }

    /// Looks for a contradiction under a further condition, with an unknown equal to the value that this condition
    /// chooses.
    fn contradict_with(
        &mut self,
        arena: &mut Arena,
        (c, chosen): (TermId, Option<(TermId, TermId)>),
        splits: u32,
        split: &mut FxHashSet<TermId>,
    ) -> bool {
        let (rows, either, unequal, defined) =
            (self.rows.len(), self.either.len(), self.unequal.len(), self.defined.clone());
        self.add(arena, c);
        if let Some((x, value)) = chosen {
            let t = arena.sub(x, value);
            self.zero(arena, t);
        }
        self.define(arena, rows);
        let found = self.contradict(arena, splits - 1, split);
        self.rows.truncate(rows);
        self.either.truncate(either);
        self.unequal.truncate(unequal);
        self.defined = defined;
        found
    }
}

/// Whether no integers satisfy the comparisons, as far as elimination within the limits shows.
fn contradict(mut rows: Vec<LinearRow>, work: &mut u64) -> bool {
    loop {
        if rows.iter().any(|r| r.terms.is_empty() && r.constant > 0) {
            return true;
        }
        rows.retain(|r| !r.terms.is_empty());
        strongest(&mut rows);
        let terms: usize = rows.iter().map(|r| r.terms.len()).sum();
        let Some(left) = work.checked_sub(terms as u64) else { return false };
        *work = left;
        if rows.len() > MAX_ROWS {
            return false;
        }
        // Numbers of upper and lower bounds of each unknown.
        let mut bounded: FxHashMap<TermId, (usize, usize)> = FxHashMap::default();
        for (x, c) in rows.iter().flat_map(|r| &r.terms) {
            let (up, down) = bounded.entry(*x).or_default();
            if *c > 0 {
                *up += 1;
            } else {
                *down += 1;
            }
        }
        let Some((x, (up, down))) =
            bounded.into_iter().min_by_key(|(x, (up, down))| ((up * down).saturating_sub(up + down), *x))
        else {
            return false;
        };
        if up * down > MAX_ROWS * 4 {
            return false;
        }
        let (with, mut rest): (Vec<LinearRow>, Vec<LinearRow>) = rows.into_iter().partition(|r| r.coefficient(x) != 0);
        let (up, down): (Vec<LinearRow>, Vec<LinearRow>) = with.into_iter().partition(|r| r.coefficient(x) > 0);
        for u in &up {
            for d in &down {
                rest.extend(u.plus(-d.coefficient(x), d, u.coefficient(x)));
            }
        }
        rows = rest;
    }
}

/// Keeps the strongest of comparisons that differ only in their constants.
fn strongest(rows: &mut Vec<LinearRow>) {
    rows.sort_unstable_by(|a, b| a.terms.cmp(&b.terms).then(b.constant.cmp(&a.constant)));
    rows.dedup_by(|b, a| a.terms == b.terms);
}

#[cfg(test)]
mod tests;
