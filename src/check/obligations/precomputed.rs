//! Quotients by a multiplication with a precomputed number and a shift, in the place of a division.
//!
//! In: an obligation. Out: the same obligation with `(n + n·m / 2^32) / 2^s` and `n·m / 2^32 / 2^s` replaced by
//! `n / d`, where the facts of the access prove each premise. With `M = 2^32 + m`, respectively `M = m`, both are the
//! floor of `n·M / 2^(32 + s)`, if nothing wraps. It is the floor of `n / d` for `n >= 0` if `e = M·d - 2^(32 + s)` is
//! not negative and `n·e < 2^(32 + s)`: the fraction of `n / d` is at most `1 - 1/d`, and `n·e / (d·2^(32 + s))` is
//! less than `1/d` (Granlund and Montgomery, PLDI 1994, theorem 4.2). Constants show this by computation. A factor that
//! the host computes is known by its form ([`super::host_factors`]). A program may choose the dividend itself where the
//! divisor is 1. A quotient with a premise that is not proved stays as it is.

use super::decide::{Decider, Search};
use super::host_factors::{HostFactor, factors_of_host};
use super::logarithm::{congruent, not_too_far};
use super::obligation::Obligation;
use crate::solver::Answer;
use base::polynomial::gcd;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, Term, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Width of the factors of a product, and of its high half.
const HALF: u32 = 32;

/// Most quotients of an obligation that are examined, nested ones included.
const MOST: usize = 16;

/// Largest dividend: the sum of it and of the high half of its product with a number of 32 bits does not wrap.
const MOST_DIVIDED: i128 = (1 << 31) - 1;

/// The floor of `(rest + product / 2^32) / 2^s`, as the program computes it.
#[derive(Clone, Copy, Debug)]
struct PrecomputedQuotient {
    /// Condition under which that term is the quotient: that its shift is not too far.
    guard: Option<TermId>,
    shift: Shift,
    product: TermId,
    rest: TermId,
    /// Whether the sum is read as an unsigned integer of 32 bits.
    wraps: bool,
}

#[derive(Clone, Copy, Debug)]
enum Shift {
    By(u32),
    /// Exponent of a power of two, a [`Term::Pow2`].
    Of(TermId),
}

/// A division that has the value of a quotient.
struct PrecomputedDivision {
    dividend: TermId,
    divisor: TermId,
    /// Whole part that the quotient lacks: `(2^s·x + y) / 2^s` is computed as `x + y / 2^s`.
    less: TermId,
}

/// Facts of an access, with their conjunction.
struct AccessFacts {
    all: TermId,
    facts: Vec<TermId>,
}

impl Search<'_> {
    /// Returns the obligation with divisions in the place of the quotients whose premises are proved.
    pub(super) fn with_divisions(&mut self, a: &mut Arena, o: &Obligation) -> Obligation {
        let mut o = o.clone();
        let mut examined: Vec<TermId> = vec![];
        while examined.len() < MOST {
            let roots = [o.facts, o.offset, o.extent];
            let candidates = roots.map(|t| self.decider.quotients_of(a, t));
            let Some(whole) = candidates.iter().flat_map(|c| c.iter()).copied().find(|t| !examined.contains(t)) else {
                break;
            };
            examined.push(whole);
            let known = AccessFacts { all: o.facts, facts: a.conjuncts(o.facts) };
            let Some(division) = self.division(a, &known, whole) else { continue };
            let value = a.div(division.dividend, division.divisor);
            let value = a.sub(value, division.less);
            // The divisor is proved to be in the range of each reading.
            let read = a.wrap(division.divisor, HALF, false);
            let map = FxHashMap::from_iter([(read, division.divisor), (whole, value)]);
            let [facts, offset, extent] = roots.map(|t| a.substitute(t, &map));
            o = Obligation { facts, offset, extent, ..o };
        }
        o
    }

    /// Returns the division that has the value of a term, if all premises follow from the facts.
    fn division(&mut self, a: &mut Arena, known: &AccessFacts, whole: TermId) -> Option<PrecomputedDivision> {
        if let Some(division) = self.division_in(a, known, whole) {
            return Some(division);
        }
        let Term::Ite(c, x, y) = *a.get(whole) else { return None };
        let not = a.not(c);
        for (one, undivided, quotient) in [(c, x, y), (not, y, x)] {
            if quotients(a, quotient).is_empty() {
                continue;
            }
            let divided = a.not(one);
            let all = a.and(known.all, divided);
            let elsewhere = AccessFacts { all, facts: a.conjuncts(all) };
            let choices = self.choices_of_host(a, &elsewhere, one, quotient);
            let mut decided = [all, quotient];
            a.substitute_all(&mut decided, &choices);
            let [all, quotient] = decided;
            let all = a.and(all, divided);
            let elsewhere = AccessFacts { all, facts: a.conjuncts(all) };
            if let Some(division) = self.division_in(a, &elsewhere, quotient)
                && self.is_undivided(a, known, &division, one, undivided)
            {
                return Some(division);
            }
        }
        None
    }

    /// Returns the division that has the value of a quotient, if all premises follow from the facts.
    fn division_in(&mut self, a: &mut Arena, known: &AccessFacts, quotient: TermId) -> Option<PrecomputedDivision> {
        for q in quotients(a, quotient) {
            let division = match q.shift {
                Shift::By(s) => by_constant(a, &q, s),
                Shift::Of(s) => self.by_factor_of_host(a, known, &q, s),
            };
            let Some(division) = division else { continue };
            let guard = q.guard.filter(|guard| !matches!(q.shift, Shift::Of(s) if holds_for_small(a, s, *guard)));
            if !guard.is_none_or(|goal| self.follows(a, known, goal)) {
                continue;
            }
            // A reading of a number within the bounds is that number.
            let read = match *a.get(division.dividend) {
                Term::Wrap { arg, bits, .. } if bits >= HALF => Some(arg),
                _ => None,
            };
            for dividend in read.into_iter().chain([division.dividend]) {
                let (zero, most) = (a.int(0), a.int(MOST_DIVIDED));
                let bounds = [a.le(zero, dividend), a.le(dividend, most)];
                if bounds.into_iter().all(|goal| self.follows(a, known, goal)) {
                    return Some(PrecomputedDivision { dividend, ..division });
                }
            }
        }
        None
    }

    /// Conditions below a quotient by which the host, too, chose whether the divisor is 1, with their values where
    /// `one` is false.
    fn choices_of_host(
        &mut self,
        a: &mut Arena,
        here: &AccessFacts,
        one: TermId,
        quotient: TermId,
    ) -> FxHashMap<TermId, TermId> {
        let mut choices: Vec<TermId> = vec![];
        for t in a.cone(&[quotient]) {
            if let Term::Ite(c, x, y) = *a.get(t)
                && [x, y].into_iter().any(|t| a.as_int(t) == Some(0))
                && !choices.contains(&c)
                && compare_same(a, c, one)
            {
                choices.push(c);
            }
        }
        let mut known = FxHashMap::default();
        for c in choices {
            let not = a.not(c);
            let follows = |(goal, holds)| self.follows_of_near(a, &here.facts, goal).then_some(holds);
            if let Some(holds) = [(not, false), (c, true)].into_iter().find_map(follows) {
                known.insert(c, a.bool(holds));
            }
        }
        known
    }

    /// Whether a number that stands for the quotient under a condition is the quotient there: the dividend, where the
    /// divisor is 1.
    fn is_undivided(
        &mut self,
        a: &mut Arena,
        known: &AccessFacts,
        division: &PrecomputedDivision,
        one: TermId,
        undivided: TermId,
    ) -> bool {
        if a.as_int(division.less) != Some(0) {
            return false;
        }
        let all = a.and(known.all, one);
        let there = AccessFacts { all, facts: a.conjuncts(all) };
        let divisor = a.int(1);
        let is_one = a.eq(division.divisor, divisor);
        let same = a.eq(undivided, division.dividend);
        self.follows_of_near(a, &there.facts, is_one) && self.follows(a, &there, same)
    }

    /// Returns the division where the factor has one of the forms that hosts compute, and the exponent is the logarithm
    /// of the divisor, rounded up, or one less.
    fn by_factor_of_host(
        &mut self,
        a: &mut Arena,
        known: &AccessFacts,
        q: &PrecomputedQuotient,
        s: TermId,
    ) -> Option<PrecomputedDivision> {
        let less = a.int(0);
        for HostFactor { factor, divisor, logarithm, above_one, added } in factors_of_host(a, q.product, s) {
            let Some(dividend) = dividend_of(a, q, factor, added) else { continue };
            // Where the divisor is proved to be of at most 2^31, readings of 32 bits are the divisor itself.
            let plain = congruent(a, divisor, HALF);
            for divisor in if plain == divisor { vec![divisor] } else { vec![plain, divisor] } {
                let two = a.int(2);
                let not_one = a.le(two, divisor);
                if self.is_rounded_up_logarithm(a, &known.facts, logarithm, divisor)
                    && (!above_one || self.follows_of_near(a, &known.facts, not_one))
                {
                    return Some(PrecomputedDivision { dividend, divisor, less });
                }
            }
        }
        None
    }

    /// Whether the facts prove a goal in machine arithmetic.
    fn follows(&mut self, a: &mut Arena, known: &AccessFacts, goal: TermId) -> bool {
        if a.as_bool(goal) == Some(true) || known.facts.contains(&goal) {
            return true;
        }
        let (mut used, free) = match self.bound(a, known.all, &known.facts, goal) {
            Some(proof) => proof,
            None => {
                let limits = self.limits;
                match self.prove(a, known.all, &known.facts, goal, &limits) {
                    Answer::Proved { used, free, .. } => (used, free),
                    Answer::Model(_) | Answer::Unknown(_) => return false,
                }
            }
        };
        used.push(goal);
        self.unmet(a, known.all, &used, &free).open.is_empty()
    }
}

impl Decider {
    /// Returns the terms below a term that may be quotients, inner ones first.
    fn quotients_of(&mut self, a: &Arena, t: TermId) -> Rc<[TermId]> {
        if let Some(known) = self.quotients.get(&t) {
            return known.clone();
        }
        let cone = a.cone(&[t]);
        let mut found = vec![];
        // Most obligations have none: no product was halved.
        if cone.iter().any(|t| is_high_half(a, *t)) {
            let mut choices: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
            for t in &cone {
                if let Term::Ite(_, then, otherwise) = *a.get(*t) {
                    choices.entry(then).or_default().push(*t);
                    choices.entry(otherwise).or_default().push(*t);
                }
            }
            for t in cone.into_iter().filter(|t| shifted(a, *t).is_some()) {
                // A quotient that its guard protects is replaced with its guard, where that is proved, and one that is
                // chosen for divisors above 1 with the choice.
                let guards = choices.get(&t).map_or(&[][..], Vec::as_slice);
                let outer = guards.iter().flat_map(|g| choices.get(g).map_or(&[][..], Vec::as_slice));
                for t in outer.chain(guards).chain([&t]) {
                    if !found.contains(t) {
                        found.push(*t);
                    }
                }
            }
        }
        let found: Rc<[TermId]> = found.into();
        self.quotients.insert(t, found.clone());
        found
    }
}

/// Reads a term as a number shifted to the right.
fn shifted(a: &Arena, t: TermId) -> Option<(TermId, Shift)> {
    match *a.get(t) {
        Term::FloorDiv(x, by) if by > 0 && by.count_ones() == 1 && by.ilog2() <= HALF => {
            Some((x, Shift::By(by.ilog2())))
        }
        Term::Div(x, by) => match *a.get(by) {
            Term::Pow2(s) => Some((x, Shift::Of(s))),
            _ => None,
        },
        _ => None,
    }
}

fn is_high_half(a: &Arena, t: TermId) -> bool {
    matches!(a.get(t), Term::FloorDiv(_, by) if *by == 1 << HALF)
}

/// Whether two conditions compare the same number, read in different ways, with constants.
fn compare_same(a: &mut Arena, x: TermId, y: TermId) -> bool {
    let mut compared = |c: TermId| {
        let c = if let Term::Not(c) = *a.get(c) { c } else { c };
        let (Term::EqZ(t) | Term::Le(t)) = *a.get(c) else { return None };
        let t = congruent(a, t, HALF);
        Some(a.apart(t).0)
    };
    match (compared(x), compared(y)) {
        (Some(x), Some(y)) => x == y || a.neg(x) == y,
        _ => false,
    }
}

/// Returns the dividend of a quotient by a factor: of `n·m`, or of `n + n·m / 2^32` where it is added.
fn dividend_of(a: &mut Arena, q: &PrecomputedQuotient, factor: TermId, added: bool) -> Option<TermId> {
    if !added {
        if a.as_int(q.rest) != Some(0) {
            return None;
        }
        let mut terms = a.poly(q.product).terms;
        for (atoms, _) in &mut terms {
            let at = atoms.iter().position(|t| *t == factor)?;
            atoms.remove(at);
        }
        let dividend = a.from_poly(Poly { terms });
        return (a.mul(dividend, factor) == q.product).then_some(dividend);
    }
    let mut dividends = vec![q.rest];
    if q.wraps {
        dividends.push(a.wrap(q.rest, HALF, false));
    }
    dividends.into_iter().find(|n| a.mul(*n, factor) == q.product)
}

/// Returns the ways to read a term as a quotient, one for each high half in its sum.
fn quotients(a: &mut Arena, whole: TermId) -> Vec<PrecomputedQuotient> {
    let (guard, quotient) = match *a.get(whole) {
        Term::Ite(guard, quotient, _) => (Some(guard), quotient),
        _ => (None, whole),
    };
    let Some((sum, shift)) = shifted(a, quotient) else { return vec![] };
    let (wraps, sum) = match *a.get(sum) {
        Term::Wrap { arg, bits: HALF, signed: false } => (true, arg),
        _ => (false, sum),
    };
    let halves: Vec<TermId> = a
        .poly(sum)
        .terms
        .iter()
        .filter_map(|(m, c)| if let ([t], 1) = (m.as_slice(), c) { Some(*t) } else { None })
        .filter(|t| is_high_half(a, *t))
        .collect();
    let mut out = vec![];
    for half in halves {
        let Term::FloorDiv(product, _) = *a.get(half) else { continue };
        let rest = a.sub(sum, half);
        out.push(PrecomputedQuotient { guard, shift, product, rest, wraps });
    }
    out
}

/// Returns the division by a constant, where factor and shift are constants.
fn by_constant(a: &mut Arena, q: &PrecomputedQuotient, s: u32) -> Option<PrecomputedDivision> {
    let product = a.poly(q.product);
    if a.as_int(q.rest) == Some(0) {
        let factor = product.terms.iter().fold(0, |g, (_, c)| gcd(g, *c));
        let dividend = over(a, &product, factor)?;
        let (divisor, less) = (a.int(constant_divisor(factor, false, s)?), a.int(0));
        return Some(PrecomputedDivision { dividend, divisor, less });
    }
    // A factor is read from one product; the comparison of whole terms below confirms it.
    let as_read = if q.wraps { Some(a.wrap(q.rest, HALF, false)) } else { None };
    for dividend in [q.rest].into_iter().chain(as_read) {
        let of = a.poly(dividend);
        let Some((atoms, c)) = of.terms.iter().find(|(m, _)| !m.is_empty()) else { continue };
        let Some((_, scaled)) = product.terms.iter().find(|(m, _)| m == atoms) else { continue };
        if scaled % c != 0 {
            continue;
        }
        let factor = scaled / c;
        let Some(whole) = over(a, &product, factor) else { continue };
        let difference = a.sub(whole, dividend);
        let difference = a.poly(difference);
        let Some(less) = over(a, &difference, 1 << s) else { continue };
        if q.wraps && a.as_int(less) != Some(0) {
            continue;
        }
        let divisor = a.int(constant_divisor(factor, true, s)?);
        return Some(PrecomputedDivision { dividend: whole, divisor, less });
    }
    None
}

/// Returns the polynomial over a divisor of all its coefficients.
fn over(a: &mut Arena, p: &Poly, by: i128) -> Option<TermId> {
    if by <= 0 || p.terms.iter().any(|(_, c)| c % by != 0) {
        return None;
    }
    let terms = p.terms.iter().map(|(m, c)| (m.clone(), c / by)).collect();
    Some(a.from_poly(Poly { terms }))
}

/// Returns the divisor of which the quotient is that of every dividend up to [`MOST_DIVIDED`].
fn constant_divisor(factor: i128, added: bool, s: u32) -> Option<i128> {
    if !(1..1 << HALF).contains(&factor) || s > HALF {
        return None;
    }
    let factor = factor + if added { 1 << HALF } else { 0 };
    let power = 1_i128 << (HALF + s);
    let divisor = (power + factor - 1) / factor;
    ((factor * divisor - power) * MOST_DIVIDED < power).then_some(divisor)
}

/// Whether a condition holds for an exponent of at most 31.
fn holds_for_small(a: &mut Arena, s: TermId, condition: TermId) -> bool {
    let small = not_too_far(a, s);
    a.bounds_at_least(small, condition)
}

#[cfg(test)]
#[path = "precomputed_tests.rs"]
mod tests;
