//! Premise of a division by a factor that the host computes: that an exponent is the logarithm of the divisor, rounded
//! up.
//!
//! In: facts, an exponent `e`, a divisor `d`. Out: whether `1 <= d <= 2^31` and `2^(e - 1) < d <= 2^e`, and therefore
//! `0 <= e <= 31`. The facts show it directly, as after a loop that doubles a power until it reaches the divisor; or
//! `e` is the logarithm rounded down, plus 1 where a test says that `d` is no power of two; or `e` counts zeros in front.
//! With `2^f <= d < 2^(f + 1)`, `d & (d - 1)` is 0 exactly where `d` is `2^f`: it clears the lowest bit that is set.

use super::decide::Search;
use crate::solver::{self, Answer, WrapMode};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::{BitFunction, UninterpretedFunction};
use engine::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;

/// Largest divisor that the host may have computed a factor for.
pub(super) const MOST_DIVISOR: i128 = 1 << 31;

/// Width of a divisor.
const WIDTH: u32 = 32;

/// Largest exponent of such a divisor.
pub(super) const MOST_EXPONENT: i128 = 31;

/// An exponent in terms of a divisor.
#[derive(Clone, Copy, Debug)]
enum Exponent {
    /// Known by the facts alone.
    Stated(TermId),
    /// Logarithm rounded down: the exponent is one more where the divisor is no power of two.
    RoundedDown(TermId),
    /// Zeros in front of the divisor, by their definition, where the divisor is at least this number.
    Counted(i128),
}

impl Search<'_> {
    /// Whether `1 <= d <= 2^31` and `2^(e - 1) < d <= 2^e`. Only the facts on these numbers are considered: few, so that
    /// a search in machine arithmetic is cheap.
    pub(super) fn is_rounded_up_logarithm(&mut self, a: &mut Arena, facts: &[TermId], e: TermId, d: TermId) -> bool {
        let all = near(a, facts, &[e, d]);
        let asked = (all, e, d);
        if let Some(known) = self.decider.logarithms.get(&asked) {
            return *known;
        }
        let answer = self.logarithm(a, all, e, d);
        match answer {
            Some(known) => {
                self.decider.logarithms.insert(asked, known);
            }
            None => self.cut = true,
        }
        answer.unwrap_or(false)
    }

    /// Proves what [`Self::is_rounded_up_logarithm`] asks; `None` where the work was too little.
    fn logarithm(&mut self, a: &mut Arena, all: TermId, e: TermId, d: TermId) -> Option<bool> {
        let [zero, one, most] = [0, 1, MOST_DIVISOR].map(|v| a.int(v));
        let bounds = [a.le(one, d), a.le(d, most)];
        if let open @ (Some(false) | None) = self.all_follow(a, bounds.map(|goal| (all, goal))) {
            return open;
        }
        let all = without_quotients(a, all, d);
        let mut goals = vec![];
        match exponent(a, e, d) {
            Exponent::Stated(e) => goals.extend(rounded_up(a, all, e, d)),
            Exponent::RoundedDown(f) => {
                let (f, read) = as_read(a, f);
                goals.extend(read.map(|t| (all, a.le(zero, t))));
                let (last, power) = (a.int(MOST_EXPONENT), a.pow2(f));
                goals.extend([(all, a.le(zero, f)), (all, a.le(f, last)), (all, a.le(power, d))]);
                let next = a.add_const(f, 1);
                let twice = a.pow2(next);
                goals.push((all, a.lt(d, twice)));
            }
            Exponent::Counted(least) => {
                let least = a.int(least);
                goals.push((all, a.le(least, d)));
            }
        }
        self.all_follow(a, goals)
    }

    /// Whether a goal on few numbers follows in machine arithmetic from the facts on these numbers.
    pub(super) fn follows_of_near(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId) -> bool {
        let all = near(a, facts, &[goal]);
        self.all_follow(a, [(all, goal)]) == Some(true)
    }

    /// Returns whether each goal follows from its facts; `None` where the work was too little.
    fn all_follow(&self, a: &mut Arena, goals: impl IntoIterator<Item = (TermId, TermId)>) -> Option<bool> {
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
}

/// Conjunction of the facts that only concern the symbols of some terms.
fn near(a: &mut Arena, facts: &[TermId], terms: &[TermId]) -> TermId {
    let symbols = a.symbols_of(terms);
    let mut near = facts.to_vec();
    near.retain(|f| a.symbols_of(&[*f]).iter().all(|x| symbols.contains(x)));
    a.and_all(near)
}

/// Replaces readings of a divisor of `1..=2^31` by the divisor, and bounds on a number shifted to the right by bounds on
/// that number: `x / p <= c` is `x < (c + 1)·p`, for a power `p` and an `x` that is not negative. Where
/// `2^e <= x`, the exponent is bounded as well.
fn without_quotients(a: &mut Arena, facts: TermId, d: TermId) -> TermId {
    let readings = [32, 64].map(|bits| (a.wrap(d, bits, false), d));
    let facts = a.substitute(facts, &readings.into_iter().collect());
    let mut map = FxHashMap::default();
    for t in a.cone(&[facts]) {
        let (sum, is_equation) = match *a.get(t) {
            Term::Le(sum) => (sum, false),
            Term::EqZ(sum) => (sum, true),
            _ => continue,
        };
        let (shifted, c) = a.apart(sum);
        let (quotient, from_below) = match a.poly(shifted).terms.as_slice() {
            [(m, 1)] if m.len() == 1 => (m[0], false),
            [(m, -1)] if m.len() == 1 => (m[0], true),
            _ => continue,
        };
        let Some((x, power, exponent)) = shifted_right(a, quotient, d) else { continue };
        let bound = match (is_equation, from_below) {
            // The quotient is not negative.
            (true, _) if c == 0 => Some((1, false)),
            (false, false) => c.checked_neg().and_then(|most| most.checked_add(1)).map(|next| (next, false)),
            (false, true) => Some((c, true)),
            _ => None,
        };
        let Some((factor, from_below)) = bound.filter(|(factor, _)| (0..=1 << WIDTH).contains(factor)) else {
            continue;
        };
        let limit = a.scale(power, factor);
        let most = if x == d { Some(MOST_DIVISOR) } else { a.range(x).hi };
        let Some(most) = most.filter(|most| *most >= 1 && factor >= 1) else { continue };
        let last = a.int(i128::from(most.ilog2()));
        let (small, reached) = (a.le(exponent, last), a.le(limit, x));
        let reached = a.and(small, reached);
        let bound = if from_below { reached } else { a.not(reached) };
        map.insert(t, bound);
    }
    a.substitute(facts, &map)
}

/// Reads a term as `x / p` for a number `x` that is not negative, as `d` is, and a power of two `p`. Also returns the
/// part of the exponent of `p` that is not constant.
fn shifted_right(a: &mut Arena, t: TermId, d: TermId) -> Option<(TermId, TermId, TermId)> {
    let (inner, by) = match *a.get(t) {
        Term::FloorDiv(x, by) if by.count_ones() == 1 && by <= 1 << WIDTH => (x, by),
        _ => (t, 1),
    };
    let Term::Div(x, power) = *a.get(inner) else { return None };
    let Term::Pow2(exponent) = *a.get(power) else { return None };
    let power = a.scale(power, by);
    (x == d || a.range(x).lo.is_some_and(|least| least >= 0)).then_some((x, power, exponent))
}

/// Builds the goals `0 <= e <= 32` and `2^(e - 1) < d <= 2^e`, with the facts of each.
fn rounded_up(a: &mut Arena, all: TermId, e: TermId, d: TermId) -> [(TermId, TermId); 4] {
    let [zero, one, width] = [0, 1, MOST_EXPONENT + 1].map(|v| a.int(v));
    let (before, power) = (a.add_const(e, -1), a.pow2(e));
    let half = a.pow2(before);
    let (shifts, small) = (a.le(one, e), not_too_far(a, e));
    [
        (all, a.le(zero, e)),
        (all, a.le(e, width)),
        // `2^0 < 2·d` since `d >= 1`.
        (a.and(all, shifts), a.lt(half, d)),
        // The bound holds since `2^(e - 1) < d <= 2^31`.
        (a.and(all, small), a.le(d, power)),
    ]
}

/// Builds the bound on the exponent of a divisor of at most 2^31.
pub(super) fn not_too_far(a: &mut Arena, s: TermId) -> TermId {
    let last = a.int(MOST_EXPONENT);
    a.le(s, last)
}

/// Reads an exponent as a logarithm of a divisor, where it has such a form.
fn exponent(a: &mut Arena, e: TermId, d: TermId) -> Exponent {
    // `w - ctlz(d - 1)`: `2^(e - 1) <= d - 1 < 2^e` for `d >= 2`. For 1, all `w` bits of 0 are zeros.
    let below = a.add_const(d, -1);
    if let Some((0, is_defined)) = counted(a, e, below) {
        return Exponent::Counted(if is_defined { 1 } else { 2 });
    }
    let choices: Vec<(TermId, TermId)> = atoms(a, e)
        .into_iter()
        .filter_map(|t| match *a.get(t) {
            Term::Ite(test, x, y) => match (a.as_int(x), a.as_int(y)) {
                (Some(0), Some(1)) => Some((t, test)),
                (Some(1), Some(0)) => Some((t, a.not(test))),
                _ => None,
            },
            _ => None,
        })
        .collect();
    for (choice, test) in choices {
        if !is_power_of_two(a, test, d) {
            continue;
        }
        let f = a.sub(e, choice);
        if atoms(a, f).contains(&choice) {
            continue;
        }
        // `w - 1 - ctlz(d)` is the logarithm rounded down, for `d >= 1`.
        return match counted(a, f, d) {
            Some((-1, _)) => Exponent::Counted(1),
            _ => Exponent::RoundedDown(f),
        };
    }
    Exponent::Stated(e)
}

/// Returns `c` where a term is `w + c - ctlz(x)` on `w` bits, and whether the count is that of zero where `x` is 0.
fn counted(a: &mut Arena, t: TermId, x: TermId) -> Option<(i128, bool)> {
    let sum = a.poly(t);
    let (atom, _) = sum.terms.iter().find_map(|(m, c)| match (m.as_slice(), c) {
        ([atom], -1) => Some((*atom, c)),
        _ => None,
    })?;
    let (count, is_defined) = match *a.get(atom) {
        Term::Ite(_, _, count) => (count, false),
        _ => (atom, true),
    };
    let Term::Apply { function: UninterpretedFunction::OfBits(BitFunction::ZerosInFront, width), args, .. } =
        a.get(count)
    else {
        return None;
    };
    // A divisor has at most 32 bits.
    let (width, of) = (*width, *args.first()?);
    if width < 32 {
        return None;
    }
    if let Term::Ite(is_zero, ..) = *a.get(atom) {
        let zero = a.int(0);
        if a.eq(of, zero) != is_zero {
            return None;
        }
    }
    let rest = a.add(t, atom);
    let more = a.as_int(rest)?.checked_sub(i128::from(width))?;
    same_bits(a, of, x, width).then_some((more, is_defined))
}

/// Whether a condition is `d & (d - 1) == 0`.
fn is_power_of_two(a: &mut Arena, test: TermId, d: TermId) -> bool {
    let Term::EqZ(t) = *a.get(test) else { return false };
    let bits = a.bits_of_signed(t);
    let Term::BitAnd(x, y, width) = *a.get(bits) else { return false };
    let below = a.add_const(d, -1);
    // A divisor has at most 32 bits.
    width >= 32 && [(x, y), (y, x)].into_iter().any(|(x, y)| same_bits(a, x, d, width) && same_bits(a, y, below, width))
}

/// Whether two numbers are equal modulo `2^width`.
fn same_bits(a: &mut Arena, x: TermId, y: TermId, width: u32) -> bool {
    let difference = a.sub(x, y);
    let difference = congruent(a, difference, width);
    a.as_int(difference).is_some_and(|d| d.rem_euclid(1 << width) == 0)
}

/// Returns a number that is equal modulo `2^width`, without readings of as many bits or more.
pub(super) fn congruent(a: &mut Arena, t: TermId, width: u32) -> TermId {
    let mut sum = t;
    for atom in atoms(a, t) {
        let Some(arg) = reading(a, atom, width) else { continue };
        let terms = a.poly(t).terms;
        let Some((_, c)) = terms.iter().find(|(m, _)| m.as_slice() == [atom]) else { continue };
        let (arg, c) = (congruent(a, arg, width), *c);
        let more = a.sub(arg, atom);
        let more = a.scale(more, c);
        sum = a.add(sum, more);
    }
    sum
}

/// Returns the number of which a term is a reading of at least `width` bits: equal modulo `2^width`.
fn reading(a: &mut Arena, t: TermId, width: u32) -> Option<TermId> {
    match *a.get(t) {
        Term::Wrap { arg, bits, .. } if bits >= width => Some(arg),
        // `x + 2^w` where `x` is negative.
        Term::Ite(negative, read, plain) => {
            let (zero, more) = (a.int(0), a.sub(read, plain));
            let is_multiple = a.as_int(more).is_some_and(|m| m.rem_euclid(1 << width) == 0);
            (is_multiple && negative == a.lt(plain, zero)).then_some(plain)
        }
        _ => None,
    }
}

/// Returns an exponent without its one reading of at least 32 bits, and the number read: where that number is not
/// negative and the result is small, both exponents are equal.
pub(super) fn as_read(a: &mut Arena, e: TermId) -> (TermId, Option<TermId>) {
    let sum = a.poly(e);
    let read: Vec<(TermId, TermId)> = sum
        .terms
        .iter()
        .filter_map(|(m, c)| match (m.as_slice(), c) {
            ([atom], 1) => match *a.get(*atom) {
                Term::Wrap { arg, bits, .. } if bits >= 32 => Some((*atom, arg)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let ([(atom, arg)], true) = (read.as_slice(), sum.constant().abs() <= 64) else { return (e, None) };
    let rest = a.sub(e, *atom);
    if a.as_int(rest).is_none() {
        return (e, None);
    }
    (a.add(rest, *arg), Some(*arg))
}

/// Returns the atoms of a sum of products.
pub(super) fn atoms(a: &Arena, t: TermId) -> Vec<TermId> {
    let mut atoms: Vec<TermId> = a.poly(t).terms.iter().flat_map(|(m, _)| m.iter().copied()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}
