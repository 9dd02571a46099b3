//! Floating point: exact as far as rounding cannot show, and otherwise within error bounds.
//!
//! In: numbers as [`Ratio`]s of terms, and a format. Out: the result of a machine operation; `None` if nothing useful
//! is known. Operations round to nearest (IEEE 754-2019, 4.3.1). The bounds also hold if a product is not rounded
//! before it is added (`fma`), if small numbers are flushed to zero, and for each kind of division that a device has:
//! quotients of device `float`s are taken to be off by two units in the last place, as with `-use_fast_math` (CUDA C++
//! Programming Guide 13.0, Mathematical Functions). Host arithmetic is taken not to be compiled with `-ffast-math`.

use super::arena::Arena;
use super::interval::Interval;
use super::term::{SymKind, TermId};
use crate::symbolic::memory::value::{Ratio, Rounding};
use base::polynomial::gcd;
use base::reasons::UnknownReason;
use ir::BinOp;

/// Errors are counted in units of 2 to the power of minus this.
const UNIT: u32 = 60;

/// Numbers beyond 2 to the power of this are not followed: below it no format overflows.
const MAX: u32 = 60;

/// Denominators up to 2 to the power of this are followed: nothing underflows.
const FINEST: u32 = 60;

/// Significand bits of a binary format of `width` bits; `None` if the width does not determine the format (16 bits) or
/// the format is not followed.
#[must_use]
pub const fn precision(width: u32) -> Option<u32> {
    match width {
        32 => Some(24),
        64 => Some(53),
        _ => None,
    }
}

/// A format, and whether its division may be less exact than rounding to nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    pub precision: u32,
    pub rough_division: bool,
}

/// Rounding to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerRounding {
    Floor,
    Ceil,
    Trunc,
}

/// Comparison of numbers; LLVM's ordered and unordered predicates differ only for NaNs, and no [`Ratio`] is a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatComparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Always,
    Never,
}

impl FloatComparison {
    /// Comparison that LLVM's name of a predicate denotes.
    #[must_use]
    pub fn of(pred: &str) -> Option<Self> {
        Some(match pred {
            "oeq" | "ueq" => Self::Eq,
            "one" | "une" => Self::Ne,
            "olt" | "ult" => Self::Lt,
            "ole" | "ule" => Self::Le,
            "ogt" | "ugt" => Self::Gt,
            "oge" | "uge" => Self::Ge,
            "ord" | "true" => Self::Always,
            "uno" | "false" => Self::Never,
            _ => return None,
        })
    }
}

impl Rounding {
    /// Maximum deviation of the machine's number, in units.
    const fn error(self) -> i128 {
        match self {
            Self::Exact => 0,
            Self::Monotone { error, .. } | Self::Within(error) => error,
            Self::Floored { .. } => 1 << UNIT,
        }
    }

    /// Joins the roundings of two possible numbers.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact, Self::Exact) => Self::Exact,
            (Self::Exact, m @ Self::Monotone { .. }) | (m @ Self::Monotone { .. }, Self::Exact) => m,
            (Self::Monotone { bits: a, error: e }, Self::Monotone { bits: b, error: f }) => {
                Self::Monotone { bits: a.min(b), error: e.max(f) }
            }
            (a, b) => Self::Within(a.error().max(b.error())),
        }
    }
}

impl Ratio {
    /// Whether only the number's floor is known.
    #[must_use]
    pub const fn is_floored(&self) -> bool {
        matches!(self.rounding, Rounding::Floored { .. })
    }

    /// An integer that equals the machine's number.
    #[must_use]
    pub const fn exact(num: TermId) -> Self {
        Self { num, den: 1, rounding: Rounding::Exact }
    }
}

/// Product of magnitudes in units, rounded up.
fn product(a: i128, b: i128) -> Option<i128> {
    ((a >> (UNIT / 2)) + 1).checked_mul((b >> (UNIT / 2)) + 1)
}

/// Returns `a * b / c` for non-negative numbers, rounded up.
fn scaled(a: i128, b: i128, c: i128) -> Option<i128> {
    a.checked_mul(b)?.checked_add(c - 1).map(|v| v / c)
}

const fn is_power_of_two(v: i128) -> bool {
    v > 0 && v & (v - 1) == 0
}

impl Arena {
    /// Maximum magnitude of a term.
    fn magnitude(&self, t: TermId) -> Option<i128> {
        let r = self.range(t);
        Some(r.lo?.checked_abs()?.max(r.hi?.checked_abs()?))
    }

    /// Maximum magnitude of the machine's number, in units.
    fn units(&self, r: &Ratio) -> Option<i128> {
        scaled(self.magnitude(r.num)?, 1 << UNIT, r.den)?.checked_add(r.rounding.error())
    }

    /// Rounds to nearest with `precision` bits; `before` is the machine number's deviation from `num / den` until then.
    fn rounded(&self, num: TermId, den: i128, before: Rounding, precision: u32) -> Option<Ratio> {
        let most = self.magnitude(num)?;
        let units = self.units(&Ratio { num, den, rounding: before })?;
        if den > 1 << FINEST || units > 1 << (UNIT + MAX) {
            return None;
        }
        if before == Rounding::Exact && is_power_of_two(den) && most <= 1 << precision {
            return Some(Ratio { num, den, rounding: before });
        }
        // Half a unit in the last place; below the smallest normal number it is less than one of our units.
        let error = before.error() + (units >> precision) + 1;
        let rounding = match before {
            Rounding::Exact => Rounding::Monotone { bits: precision, error },
            Rounding::Monotone { bits, .. } => Rounding::Monotone { bits: bits.min(precision), error },
            Rounding::Within(_) => Rounding::Within(error),
            Rounding::Floored { .. } => return None,
        };
        Some(Ratio { num, den, rounding })
    }

    /// Converts an integer to a floating-point format.
    pub fn real_of_int(&self, t: TermId, precision: u32) -> Option<Ratio> {
        self.rounded(t, 1, Rounding::Exact, precision)
    }

    /// Converts a number to a format of fewer bits.
    pub fn real_narrowed(&mut self, r: &Ratio, precision: u32) -> Option<Ratio> {
        let r = self.with_error(r)?;
        self.rounded(r.num, r.den, r.rounding, precision)
    }

    pub fn real_negated(&mut self, r: &Ratio) -> Option<Ratio> {
        let r = self.with_error(r)?;
        Some(Ratio { num: self.neg(r.num), ..r })
    }

    pub fn real_magnitude(&mut self, r: &Ratio) -> Option<Ratio> {
        let r = self.with_error(r)?;
        let (n, zero) = (self.neg(r.num), self.int(0));
        let negative = self.lt(r.num, zero);
        Some(Ratio { num: self.ite(negative, n, r.num), ..r })
    }

    /// Smaller or larger one of two numbers. Where one is on its side of an integer, so is the result.
    pub fn real_extreme(&mut self, greatest: bool, x: &Ratio, y: &Ratio) -> Option<Ratio> {
        let (x, y) = (&self.with_error(x)?, &self.with_error(y)?);
        let den = if x.den == y.den { x.den } else { x.den.checked_mul(y.den)? };
        let (l, r) = (self.scale(x.num, den / x.den), self.scale(y.num, den / y.den));
        let num = if greatest { self.max(l, r) } else { self.min(l, r) };
        self.within_limits(Ratio { num, den, rounding: x.rounding.or(y.rounding) })
    }

    /// Arithmetic operation; `None` if it is not followed.
    pub fn real_binary(&mut self, op: BinOp, x: &Ratio, y: &Ratio, format: FloatFormat) -> Option<Ratio> {
        let (x, y) = (&self.with_error(x)?, &self.with_error(y)?);
        let (ex, ey) = (x.rounding.error(), y.rounding.error());
        let both_exact = x.rounding == Rounding::Exact && y.rounding == Rounding::Exact;
        let (num, den, error) = match op {
            BinOp::FAdd | BinOp::FSub => {
                let den = if x.den == y.den { x.den } else { x.den.checked_mul(y.den)? };
                let (l, r) = (self.scale(x.num, den / x.den), self.scale(y.num, den / y.den));
                (if op == BinOp::FAdd { self.add(l, r) } else { self.sub(l, r) }, den, ex.checked_add(ey)?)
            }
            BinOp::FMul => {
                if let Some(r) = self.real_scaled(x, y).or_else(|| self.real_scaled(y, x)) {
                    return self.within_limits(r);
                }
                let error = if both_exact {
                    0
                } else {
                    product(self.units(x)?, ey)?.checked_add(product(self.units(y)?, ex)?)?
                };
                (self.mul(x.num, y.num), x.den.checked_mul(y.den)?, error)
            }
            BinOp::FDiv => {
                let k = self.as_int(y.num).filter(|k| *k != 0 && y.rounding == Rounding::Exact)?;
                if is_power_of_two(k.abs()) && is_power_of_two(y.den) {
                    let inverse = Ratio { num: self.int(y.den * k.signum()), den: k.abs(), rounding: Rounding::Exact };
                    let r = self.real_scaled(x, &inverse)?;
                    return self.within_limits(r);
                }
                (
                    self.scale(x.num, y.den.checked_mul(k.signum())?),
                    x.den.checked_mul(k.checked_abs()?)?,
                    scaled(ex, y.den, k.checked_abs()?)?,
                )
            }
            _ => return None,
        };
        let (num, den) = self.reduced(num, den)?;
        let before = if both_exact { Rounding::Exact } else { Rounding::Within(error) };
        let r = self.rounded(num, den, before, format.precision)?;
        // Two units in the last place; the result need not stay on its side of an integer.
        let rough = format.rough_division && op == BinOp::FDiv;
        if !rough {
            return Some(r);
        }
        let error =
            error.checked_add(8 * (self.units(&Ratio { num, den, rounding: before })? >> format.precision) + 8)?;
        Some(Ratio { rounding: Rounding::Within(error), ..r })
    }

    /// Multiplies a number by an exact power of two: nothing is rounded.
    fn real_scaled(&mut self, x: &Ratio, by: &Ratio) -> Option<Ratio> {
        let k = self
            .as_int(by.num)
            .filter(|k| by.rounding == Rounding::Exact && is_power_of_two(k.abs()) && is_power_of_two(by.den))?;
        let num = self.scale(x.num, k);
        let den = x.den.checked_mul(by.den)?;
        let (num, den) = self.reduced(num, den)?;
        let error = |e: i128| scaled(e, k.abs(), by.den);
        let rounding = match x.rounding {
            Rounding::Exact => Rounding::Exact,
            Rounding::Monotone { bits, error: e } => Rounding::Monotone { bits, error: error(e)? },
            Rounding::Within(e) => Rounding::Within(error(e)?),
            Rounding::Floored { .. } => return None,
        };
        Some(Ratio { num, den, rounding })
    }

    fn within_limits(&self, r: Ratio) -> Option<Ratio> {
        (r.den <= 1 << FINEST && self.units(&r)? <= 1 << (UNIT + MAX)).then_some(r)
    }

    /// Returns the same fraction in lower terms, if the common factor divides every coefficient.
    fn reduced(&mut self, num: TermId, den: i128) -> Option<(TermId, i128)> {
        if den <= 0 {
            return None;
        }
        let common = self.poly(num).terms.iter().fold(den, |g, (_, c)| gcd(g, c.checked_abs().unwrap_or(1)));
        Some(if common == 1 { (num, den) } else { (self.floor_div(num, common), den / common) })
    }

    /// Rounds a number to an integer: an exact term if rounding errors cannot matter, else an unknown within the error.
    pub fn real_whole(&mut self, r: &Ratio, way: IntegerRounding) -> Option<TermId> {
        if let Rounding::Floored { .. } = r.rounding {
            return Some(self.floored_whole(r.num, way));
        }
        let most = self.magnitude(r.num)? / r.den + 1;
        let decided = match r.rounding {
            Rounding::Exact => true,
            // Closer to the quotient than the next integer, which is a number of the format; the machine's number is on
            // the same side of it.
            Rounding::Monotone { bits, error } => error.checked_mul(r.den)? < 1 << UNIT && most <= 1 << bits,
            Rounding::Within(_) | Rounding::Floored { .. } => false,
        };
        if decided {
            return Some(self.whole(r.num, r.den, way));
        }
        // In numerators: the lowest possible integer, plus an unknown up to the highest.
        let slack = scaled(r.rounding.error(), r.den, 1 << UNIT)?;
        let lowest = self.add_const(r.num, -slack);
        let lowest = self.whole(lowest, r.den, way);
        let more = self.fresh(
            SymKind::Unknown { reason: UnknownReason::FloatRounding },
            "?",
            Interval::new(0, slack.checked_mul(2)? / r.den + 1),
        );
        let within = self.add(lowest, more);
        match r.rounding {
            // An integer of the format is itself: only larger ones are rounded.
            Rounding::Monotone { bits, .. } if r.den == 1 && bits < MAX => {
                let (least, most) = (self.int(-(1 << bits)), self.int(1 << bits));
                let (above, below) = (self.le(least, r.num), self.le(r.num, most));
                let is_whole = self.and(above, below);
                Some(self.ite(is_whole, r.num, within))
            }
            _ => Some(within),
        }
    }

    fn whole(&mut self, num: TermId, den: i128, way: IntegerRounding) -> TermId {
        match way {
            IntegerRounding::Floor => self.floor_div(num, den),
            IntegerRounding::Ceil => {
                let n = self.neg(num);
                let q = self.floor_div(n, den);
                self.neg(q)
            }
            IntegerRounding::Trunc => {
                let d = self.int(den);
                self.div(num, d)
            }
        }
    }

    /// Compares two numbers.
    pub fn real_compare(&mut self, how: FloatComparison, x: &Ratio, y: &Ratio) -> Option<TermId> {
        let how = match how {
            FloatComparison::Always => return Some(self.bool(true)),
            FloatComparison::Never => return Some(self.bool(false)),
            FloatComparison::Gt => return self.real_compare(FloatComparison::Lt, y, x),
            FloatComparison::Ge => return self.real_compare(FloatComparison::Le, y, x),
            how => how,
        };
        let (x, y) = (&self.with_error(x)?, &self.with_error(y)?);
        let den = x.den.checked_mul(y.den)?;
        let (l, r) = (self.scale(x.num, y.den), self.scale(y.num, x.den));
        let slack = scaled(x.rounding.error().checked_add(y.rounding.error())?, den, 1 << UNIT)?;
        let exact_if_equal = match (x.rounding, y.rounding) {
            (Rounding::Exact, Rounding::Exact) => true,
            (Rounding::Monotone { bits, .. }, Rounding::Exact) => self.has_bits(y, bits),
            (Rounding::Exact, Rounding::Monotone { bits, .. }) => self.has_bits(x, bits),
            _ => false,
        };
        // Different numbers are farther apart than the errors: by at least one in the numerator.
        if exact_if_equal && (slack == 0 || (x.rounding.error() + y.rounding.error()).checked_mul(den)? < 1 << UNIT) {
            return Some(match how {
                FloatComparison::Eq => self.eq(l, r),
                FloatComparison::Ne => self.ne(l, r),
                FloatComparison::Lt => self.lt(l, r),
                _ => self.le(l, r),
            });
        }
        let either = self.fresh_bool(SymKind::Unknown { reason: UnknownReason::FloatComparisonRounded }, "?");
        let (low, high) = (self.add_const(l, -slack), self.add_const(l, slack));
        let (surely, possibly) = match how {
            FloatComparison::Eq | FloatComparison::Ne => {
                let (above, below) = (self.le(low, r), self.le(r, high));
                (self.bool(false), self.and(above, below))
            }
            FloatComparison::Lt => (self.lt(high, r), self.lt(low, r)),
            _ => (self.le(high, r), self.le(low, r)),
        };
        let maybe = self.and(possibly, either);
        let holds = self.or(surely, maybe);
        Some(if how == FloatComparison::Ne { self.not(holds) } else { holds })
    }

    /// Whether a number certainly has at most `bits` bits.
    fn has_bits(&self, r: &Ratio, bits: u32) -> bool {
        is_power_of_two(r.den) && self.magnitude(r.num).is_some_and(|m| m <= 1 << bits)
    }
}

pub(in crate::symbolic) mod floored;
#[cfg(test)]
mod tests;
