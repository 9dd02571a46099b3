//! Functions on the bits of integers: counts, reversals, funnel shifts, saturating arithmetic.
//!
//! In: numbers of a width. Out: terms of that width. A function that is not a polynomial is an uninterpreted function,
//! one for each width.

use base::reasons::UnknownReason;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::terms::functions::{BitFunction, UninterpretedFunction};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Term, TermId};

/// Whether terms represent numbers of this width with room to spare.
const fn is_followed(bits: u32) -> bool {
    bits >= 2 && bits <= 64
}

/// Returns a function of the bits of a number. A count of leading or trailing zeros is the width if the number is
/// zero.
pub(crate) fn of_bits(e: &mut ValueDomain<'_>, f: BitFunction, a: TermId, bits: u32) -> Option<TermId> {
    if !is_followed(bits) || f == BitFunction::BytesReversed && !bits.is_multiple_of(16) {
        return None;
    }
    let a = e.for_bits(a, bits);
    if let Some(v) = e.arena.as_int(a) {
        return Some(e.arena.int(f.of(v, bits)));
    }
    let most = match *e.arena.get(a) {
        // The lowest bits of a number.
        Term::Mod(_, m) if f == BitFunction::Ones && m.count_ones() == 1 => m.trailing_zeros().min(bits),
        _ => bits,
    };
    let range = if f.is_count() { Interval::new(0, i128::from(most)) } else { Interval::of_int(bits, false) };
    let v = e.arena.apply(UninterpretedFunction::OfBits(f, bits), vec![a], range);
    let most = if f == BitFunction::Ones { ones_at_most(e, a, bits) } else { None };
    Some(most.map_or(v, |most| e.arena.min(v, most)))
}

/// Returns how many ones a mask of the bits below one leaves of a number. `None` for a number without such a mask.
fn ones_at_most(e: &mut ValueDomain<'_>, a: TermId, bits: u32) -> Option<TermId> {
    match *e.arena.get(a) {
        Term::BitAnd(x, y, _) => ones_of_mask(e, x, bits).or_else(|| ones_of_mask(e, y, bits)),
        _ => ones_of_mask(e, a, bits),
    }
}

/// Returns the number of ones of `2^(k + c) - 1`.
fn ones_of_mask(e: &mut ValueDomain<'_>, mask: TermId, bits: u32) -> Option<TermId> {
    let (mut constant, mut power) = (0, None);
    for (factors, c) in e.arena.poly(mask).terms {
        match factors.as_slice() {
            [] => constant = c,
            [p] if power.is_none() => power = Some((*p, c)),
            _ => return None,
        }
    }
    let (p, c) = power.filter(|(_, c)| *c > 0 && c.count_ones() == 1 && c.trailing_zeros() <= bits)?;
    let Term::Pow2(k) = *e.arena.get(p) else { return None };
    (constant == -1).then(|| e.arena.add_const(k, i128::from(c.trailing_zeros())))
}

/// Returns leading or trailing zeros where the count is undefined for zero.
pub(crate) fn of_bits_but_zero(e: &mut ValueDomain<'_>, f: BitFunction, a: TermId, bits: u32) -> Option<TermId> {
    let count = of_bits(e, f, a, bits)?;
    let (a, zero) = (e.for_bits(a, bits), e.arena.int(0));
    let is_zero = e.arena.eq(a, zero);
    if e.arena.as_bool(is_zero) == Some(false) {
        return Some(count);
    }
    let any = e.unknown_int(&UnknownReason::BitsOfZero, bits);
    Some(e.arena.ite(is_zero, any, count))
}

/// Returns the position of the lowest set bit, counted from 1; 0 if there is none.
pub(crate) fn lowest_bit(e: &mut ValueDomain<'_>, a: TermId, bits: u32) -> Option<TermId> {
    let behind = of_bits(e, BitFunction::ZerosBehind, a, bits)?;
    let (a, zero) = (e.for_bits(a, bits), e.arena.int(0));
    let (is_zero, place) = (e.arena.eq(a, zero), e.arena.add_const(behind, 1));
    Some(e.arena.ite(is_zero, zero, place))
}

/// Returns a funnel shift of `bits` bits: the numbers side by side, `a` in front, shifted left or right by a
/// distance modulo the width.
pub(crate) fn funnel(e: &mut ValueDomain<'_>, left: bool, [a, b, by]: [TermId; 3], bits: u32) -> Option<TermId> {
    if !is_followed(bits) {
        return None;
    }
    // Constants as well: a negative one shifted down would extend its sign.
    let [a, b] = [a, b].map(|t| {
        let t = e.for_bits(t, bits);
        if e.arena.as_int(t).is_some() { e.arena.modulo(t, 1 << bits) } else { t }
    });
    let by = e.for_bits(by, bits);
    let by = e.arena.modulo(by, i128::from(bits));
    let Some(k) = e.arena.as_int(by) else {
        let funnel = UninterpretedFunction::Funnel { left, bits };
        // Only powers of two are widths of machine integers.
        return bits.is_power_of_two().then(|| e.arena.apply(funnel, vec![a, b, by], Interval::of_int(bits, false)));
    };
    if k == 0 {
        return Some(if left { a } else { b });
    }
    let (up, down) = if left { (k, i128::from(bits) - k) } else { (i128::from(bits) - k, k) };
    let high = e.arena.scale(a, 1 << up);
    let (high, low) = (e.arena.modulo(high, 1 << bits), e.arena.floor_div(b, 1 << down));
    Some(e.arena.add(high, low))
}

/// Returns the high half of a product that is twice as wide as its factors: it is rounded down, and never wraps.
pub(crate) fn high_half(e: &mut ValueDomain<'_>, signed: bool, [a, b]: [TermId; 2], bits: u32) -> Option<TermId> {
    if !is_followed(bits) {
        return None;
    }
    let (a, b) = (e.interpret(a, bits, signed), e.interpret(b, bits, signed));
    let product = e.arena.mul(a, b);
    Some(e.arena.floor_div(product, 1 << bits))
}

/// Returns four bytes of two numbers side by side, `b` in front, in the order of a constant selector (PTX ISA 9.0,
/// `prmt` in its default mode). `None` if the selector is not known, or replicates a sign.
pub(crate) fn permuted(e: &mut ValueDomain<'_>, [a, b]: [TermId; 2], selector: TermId, bits: u32) -> Option<TermId> {
    let selector = e.arena.as_int(selector).filter(|_| bits == 32)?;
    let [a, b] = [a, b].map(|t| e.interpret(t, bits, false));
    let mut t = e.arena.int(0);
    for place in 0..4 {
        let pick = selector >> (4 * place) & 0xf;
        if pick >= 8 {
            return None;
        }
        let from = if pick < 4 { a } else { b };
        let byte = e.arena.floor_div(from, 1 << (8 * (pick % 4)));
        let byte = e.arena.modulo(byte, 256);
        let byte = e.arena.scale(byte, 1 << (8 * place));
        t = e.arena.add(t, byte);
    }
    Some(t)
}

/// Returns `|a - b| + c` (PTX ISA 9.0, `sad`).
pub(crate) fn added_difference(
    e: &mut ValueDomain<'_>,
    signed: bool,
    [a, b, c]: [TermId; 3],
    bits: u32,
) -> Option<TermId> {
    if !is_followed(bits) {
        return None;
    }
    let (a, b) = (e.interpret(a, bits, signed), e.interpret(b, bits, signed));
    let (more, less, below) = (e.arena.sub(a, b), e.arena.sub(b, a), e.arena.lt(a, b));
    let difference = e.arena.ite(below, less, more);
    Some(e.arena.add(difference, c))
}

/// Returns a sum or difference clamped to the range of its type.
pub(crate) fn saturated(
    e: &mut ValueDomain<'_>,
    add: bool,
    signed: bool,
    [a, b]: [TermId; 2],
    bits: u32,
) -> Option<TermId> {
    if !is_followed(bits) {
        return None;
    }
    let (a, b) = (e.interpret(a, bits, signed), e.interpret(b, bits, signed));
    let exact = if add { e.arena.add(a, b) } else { e.arena.sub(a, b) };
    let (Interval { lo: Some(lo), hi: Some(hi) }, range) = (Interval::of_int(bits, signed), e.arena.range(exact))
    else {
        return None;
    };
    let mut t = exact;
    if range.lo.is_none_or(|l| l < lo) {
        let lo = e.arena.int(lo);
        t = e.arena.max(t, lo);
    }
    if range.hi.is_none_or(|h| h > hi) {
        let hi = e.arena.int(hi);
        t = e.arena.min(t, hi);
    }
    Some(t)
}
