//! Factors that hosts compute for divisions by a multiplication, known by their form.
//!
//! In: a product, and the exponent `s` of the power by which its high half is divided. Out: the numbers below the
//! product with one of these forms, each with the divisor `d`, and the exponent `e` that must be the logarithm of `d`,
//! rounded up: `1 <= d <= 2^31` and `2^(e - 1) < d <= 2^e`. For each dividend `n` of `0..2^31`, the quotient is that of
//! `n` by `d` then ([`super::precomputed`]).
//!
//! | form | used in | `e` | why |
//! | --- | --- | --- | --- |
//! | `m = 2^32·(2^s - d) / d + 1`, `(n + n·m / 2^32) / 2^s` | PyTorch, ggml, ONNX Runtime | `s` | `M = 2^32 + m`: `M·d - 2^(32 + s)` is at most `d`, thus at most `2^s` |
//! | `m = (2^p + d - 1) / d`, `(2^p - 1) / d + 1` or `2^p / d + 1`, `n·m / 2^32 / 2^s`, `p = 32 + s` | CUTLASS | `s + 1` | `m·d - 2^p` is at most `d`, thus at most `2^(s + 1)`, and `n` is below `2^31` |
//!
//! No operation of the host wraps. In the first form, the factor is below `2^32`, and the product that is divided below
//! `2^64`. In the second form, `s <= 30`: what is divided is below `2^63`, and with `2^s + 1 <= d` the factor is below
//! `2^32`, since `2^(32 + s) < (2^32 - 1)·(2^s + 1)`.

use super::logarithm::{as_read, atoms, not_too_far};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Term, TermId};

/// Width of a factor.
const WIDTH: u32 = 32;

/// A number that has the form of a factor.
pub(super) struct HostFactor {
    pub factor: TermId,
    pub divisor: TermId,
    /// Exponent that must be the logarithm of the divisor, rounded up.
    pub logarithm: TermId,
    /// Whether the divisor must be 2 at least: then the exponent is not negative, and its reading is the exponent.
    pub above_one: bool,
    /// Whether the dividend is added to the high half of the product.
    pub added: bool,
}

/// Returns the numbers below a product that have the form of a factor. The number may be read as unsigned of 32 bits,
/// and the dividend as unsigned of 64 bits.
pub(super) fn factors_of_host(a: &mut Arena, product: TermId, s: TermId) -> Vec<HostFactor> {
    let mut out = vec![];
    for atom in atoms(a, product) {
        let sum = match *a.get(atom) {
            Term::Wrap { arg, bits: WIDTH, signed: false } => arg,
            // A quotient that is a factor itself is multiplied with 1 added to it in a second monomial.
            Term::Div(..) | Term::FloorDiv(..) => {
                let factor = a.add_const(atom, 1);
                out.extend(rounded_up(a, factor, atom, 1, s));
                out.extend(above(a, factor, atom, s));
                atom
            }
            _ => continue,
        };
        let (quotient, more) = a.apart(sum);
        match more {
            0 => out.extend(rounded_up(a, atom, quotient, 0, s)),
            1 => {
                out.extend(rounded_up(a, atom, quotient, 1, s));
                out.extend(above(a, atom, quotient, s));
            }
            _ => {}
        }
    }
    out
}

/// Returns dividend and divisor of a quotient. No dividend of these forms is negative: both divisions round down.
fn parts(a: &mut Arena, quotient: TermId) -> Option<(TermId, TermId)> {
    let (dividend, divisor) = match *a.get(quotient) {
        Term::Div(dividend, divisor) => (dividend, divisor),
        Term::FloorDiv(dividend, by) => (dividend, a.int(by)),
        _ => return None,
    };
    Some(match *a.get(dividend) {
        Term::Wrap { arg, bits: 64, .. } => (arg, divisor),
        _ => (dividend, divisor),
    })
}

/// Reads a quotient as `2^32·(2^s - d) / d` for an `s` of at most 31.
fn above(a: &mut Arena, factor: TermId, quotient: TermId, s: TermId) -> Option<HostFactor> {
    let (dividend, divisor) = parts(a, quotient)?;
    let power = a.pow2(s);
    let mut powers = powers_of(a, dividend, s);
    powers.push(power);
    let has_form = |p: TermId| {
        let above = a.sub(p, divisor);
        a.scale(above, 1 << WIDTH) == dividend
    };
    powers.into_iter().any(has_form).then_some(HostFactor {
        factor,
        divisor,
        logarithm: s,
        above_one: false,
        added: true,
    })
}

/// Returns the choices below a term that are `2^s` for an `s` of at most 31.
fn powers_of(a: &mut Arena, t: TermId, s: TermId) -> Vec<TermId> {
    let (power, small) = (a.pow2(s), not_too_far(a, s));
    let mut powers = atoms(a, t);
    powers.retain(|t| match *a.get(*t) {
        Term::Ite(guard, then, _) => then == power && a.bounds_at_least(small, guard),
        _ => false,
    });
    powers
}

/// Reads a quotient, with 1 added to it or not, as `2^(32 + s) / d`, rounded up, for an `s` of at most 30.
fn rounded_up(a: &mut Arena, factor: TermId, quotient: TermId, more: i128, s: TermId) -> Option<HostFactor> {
    let (dividend, divisor) = parts(a, quotient)?;
    let (exponent, read) = as_read(a, s);
    if read.is_some_and(|t| t != exponent) {
        return None;
    }
    let above_one = read.is_some();
    let logarithm = a.add_const(exponent, 1);
    for power in atoms(a, dividend) {
        let rest = a.sub(dividend, power);
        let below = a.add_const(divisor, -1);
        let rounds_up = if more == 0 { rest == below } else { matches!(a.as_int(rest), Some(0 | -1)) };
        if rounds_up && is_power(a, power, exponent) {
            return Some(HostFactor { factor, divisor, logarithm, above_one, added: false });
        }
    }
    None
}

/// Whether a term is `2^(32 + s)` for an `s` of `0..=30`.
fn is_power(a: &mut Arena, t: TermId, s: TermId) -> bool {
    let (guard, power) = match *a.get(t) {
        Term::Ite(guard, power, _) => (Some(guard), power),
        _ => (None, t),
    };
    let Term::Pow2(p) = *a.get(power) else { return false };
    if let Some(guard) = guard {
        let last = a.int(i128::from(2 * WIDTH) - 2);
        let small = a.le(p, last);
        if !a.bounds_at_least(small, guard) {
            return false;
        }
    }
    // Readings of `32 + s` are the number itself.
    let p = match *a.get(p) {
        Term::Wrap { arg, bits, .. } if bits >= WIDTH => arg,
        _ => p,
    };
    let p = a.sub(p, s);
    a.as_int(p) == Some(i128::from(WIDTH))
}

#[cfg(test)]
#[path = "host_factors_tests.rs"]
mod tests;
