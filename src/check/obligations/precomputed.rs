//! Quotients by a multiplication with a precomputed number and a shift, in the place of a division.
//!
//! In: an obligation. Out: the same obligation with `(n + n·m / 2^32) / 2^s` and `n·m / 2^32 / 2^s` replaced by
//! `n / d`, where the facts of the access prove each premise. With `M = 2^32 + m`, respectively `M = m`, both are the
//! floor of `n·M / 2^(32 + s)`, if nothing wraps. It is the floor of `n / d` for `n >= 0` if `e = M·d - 2^(32 + s)` is
//! not negative and `n·e < 2^(32 + s)`: the fraction of `n / d` is at most `1 - 1/d`, and `n·e / (d·2^(32 + s))` is
//! less than `1/d` (Granlund and Montgomery, PLDI 1994, theorem 4.2). Constants show this by computation. A factor that
//! the host computes is known by its form, `m = 2^32·(2^s - d) / d + 1` with `d <= 2^s < 2·d`. A quotient with a
//! premise that is not proved stays as it is.

use super::decide::{Decider, Search};
use super::obligation::Obligation;
use crate::solver::{self, Answer, WrapMode};
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

/// Largest divisor that the host may have computed a factor for.
const MOST_DIVISOR: i128 = 1 << 31;

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
            let map = FxHashMap::from_iter([(whole, value)]);
            let [facts, offset, extent] = roots.map(|t| a.substitute(t, &map));
            o = Obligation { facts, offset, extent, ..o };
        }
        o
    }

    /// Returns the division that has the value of a term, if all premises follow from the facts.
    fn division(&mut self, a: &mut Arena, known: &AccessFacts, whole: TermId) -> Option<PrecomputedDivision> {
        for q in quotients(a, whole) {
            let division = match q.shift {
                Shift::By(s) => by_constant(a, &q, s),
                Shift::Of(s) => self.by_factor_of_host(a, known, &q, s),
            };
            let Some(division) = division else { continue };
            let guard = q.guard.filter(|guard| !matches!(q.shift, Shift::Of(s) if holds_for_small(a, s, *guard)));
            let (zero, most) = (a.int(0), a.int(MOST_DIVIDED));
            let bounds = [a.le(zero, division.dividend), a.le(division.dividend, most)];
            if bounds.into_iter().chain(guard).all(|goal| self.follows(a, known, goal)) {
                return Some(division);
            }
        }
        None
    }

    /// Returns the division where the factor is `2^32·(2^s - d) / d + 1` with `1 <= d <= 2^31` and `d <= 2^s < 2·d`:
    /// then the factor is below 2^32, no operation of the host wraps, and `e` is at most `d`, thus at most `2^s`.
    fn by_factor_of_host(
        &mut self,
        a: &mut Arena,
        known: &AccessFacts,
        q: &PrecomputedQuotient,
        s: TermId,
    ) -> Option<PrecomputedDivision> {
        let mut dividends = vec![q.rest];
        if q.wraps {
            dividends.push(a.wrap(q.rest, HALF, false));
        }
        let less = a.int(0);
        for (factor, divisor) in factors_of_host(a, q.product, s) {
            let Some(dividend) = dividends.iter().copied().find(|n| a.mul(*n, factor) == q.product) else { continue };
            if self.is_rounded_up_logarithm(a, known, s, divisor) {
                return Some(PrecomputedDivision { dividend, divisor, less });
            }
        }
        None
    }

    /// Whether `1 <= d <= 2^31` and `d <= 2^s < 2·d`, and therefore `0 <= s <= 31`. Only the facts on these numbers are
    /// considered: few, so that a search in machine arithmetic is cheap.
    fn is_rounded_up_logarithm(&mut self, a: &mut Arena, known: &AccessFacts, s: TermId, d: TermId) -> bool {
        let symbols = a.symbols_of(&[s, d]);
        let mut near = known.facts.clone();
        near.retain(|f| a.symbols_of(&[*f]).iter().all(|x| symbols.contains(x)));
        let all = a.and_all(near);
        let asked = (all, s, d);
        if let Some(known) = self.decider.logarithms.get(&asked) {
            return *known;
        }
        let answer = self.logarithm(a, all, s, d);
        match answer {
            Some(known) => {
                self.decider.logarithms.insert(asked, known);
            }
            None => self.cut = true,
        }
        answer.unwrap_or(false)
    }

    /// Proves what [`Self::is_rounded_up_logarithm`] asks; `None` where the work was too little.
    fn logarithm(&mut self, a: &mut Arena, all: TermId, s: TermId, d: TermId) -> Option<bool> {
        let (zero, one, width, most) = (a.int(0), a.int(1), a.int(i128::from(HALF)), a.int(MOST_DIVISOR));
        let (before, power) = (a.add_const(s, -1), a.pow2(s));
        let half = a.pow2(before);
        let (shifts, small) = (a.le(one, s), no_shift_too_far(a, s));
        let goals = [
            (all, a.le(one, d)),
            (all, a.le(d, most)),
            (all, a.le(zero, s)),
            (all, a.le(s, width)),
            // `2^0 < 2·d` since `d >= 1`.
            (a.and(all, shifts), a.lt(half, d)),
            // The bound holds since `2^(s - 1) < d <= 2^31`.
            (a.and(all, small), a.le(d, power)),
        ];
        for (facts, goal) in goals {
            let facts = a.conjuncts(facts);
            if a.as_bool(goal) == Some(true) || facts.contains(&goal) {
                continue;
            }
            let limits = self.within(self.limits);
            match solver::prove(a, &facts, goal, WrapMode::Exact, &limits) {
                Answer::Proved { .. } => {}
                Answer::Model(_) => return Some(false),
                Answer::Unknown(_) => return None,
            }
        }
        Some(true)
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
            let choices: Vec<(TermId, TermId)> = cone
                .iter()
                .filter_map(|t| if let Term::Ite(_, then, _) = a.get(*t) { Some((*then, *t)) } else { None })
                .collect();
            for t in cone.into_iter().filter(|t| shifted(a, *t).is_some()) {
                // A quotient that its guard protects is replaced with its guard, where that is proved.
                found.extend(choices.iter().filter(|(then, _)| *then == t).map(|(_, choice)| *choice));
                found.push(t);
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
        let factor = product.terms.iter().fold(0, |g, (_, c)| greatest_common_divisor(g, c.unsigned_abs()));
        let factor = i128::try_from(factor).ok()?;
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

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
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

/// Builds the bound on the exponent of a divisor of at most 2^31.
fn no_shift_too_far(a: &mut Arena, s: TermId) -> TermId {
    let last = a.int(i128::from(HALF) - 1);
    a.le(s, last)
}

/// Whether a condition holds for an exponent of at most 31.
fn holds_for_small(a: &mut Arena, s: TermId, condition: TermId) -> bool {
    let small = no_shift_too_far(a, s);
    a.bounds_at_least(small, condition)
}

/// Returns the numbers below a product that are `2^32·(2^s - d) / d + 1` for an `s` of at most 31, each with its `d`.
/// The number may be read as unsigned of 32 bits, and the dividend as unsigned of 64 bits.
fn factors_of_host(a: &mut Arena, product: TermId, s: TermId) -> Vec<(TermId, TermId)> {
    let power = a.pow2(s);
    let mut out = vec![];
    for atom in atoms(a, product) {
        let (factor, quotient) = match *a.get(atom) {
            Term::Wrap { arg, bits: HALF, signed: false } => (atom, a.add_const(arg, -1)),
            Term::Div(..) | Term::FloorDiv(..) => (a.add_const(atom, 1), atom),
            _ => continue,
        };
        // No dividend of this form is negative: both round down.
        let (dividend, divisor) = match *a.get(quotient) {
            Term::Div(dividend, divisor) => (dividend, divisor),
            Term::FloorDiv(dividend, by) => (dividend, a.int(by)),
            _ => continue,
        };
        let dividend = match *a.get(dividend) {
            Term::Wrap { arg, bits: 64, .. } => arg,
            _ => dividend,
        };
        let mut powers = atoms(a, dividend);
        powers.retain(|t| match *a.get(*t) {
            Term::Ite(guard, then, _) => then == power && holds_for_small(a, s, guard),
            _ => false,
        });
        powers.push(power);
        let has_form = |p: TermId| {
            let above = a.sub(p, divisor);
            a.scale(above, 1 << HALF) == dividend
        };
        if powers.into_iter().any(has_form) {
            out.push((factor, divisor));
        }
    }
    out
}

/// Returns the atoms of a sum of products.
fn atoms(a: &Arena, t: TermId) -> Vec<TermId> {
    let mut atoms: Vec<TermId> = a.poly(t).terms.iter().flat_map(|(m, _)| m.iter().copied()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

#[cfg(test)]
#[path = "precomputed_tests.rs"]
mod tests;
