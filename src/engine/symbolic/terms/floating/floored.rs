//! Unknown floating-point numbers by their floor: `if (x >= 0 && x < n) a[(int)x]`.
//!
//! A number of a binary format lies between its floor and the next integer. A comparison with another number says
//! something about that integer, exactly so if the other number is an integer; so do the smaller and the larger one of two
//! numbers. In: numbers with [`Rounding::Floored`]. Out: conditions and numbers in terms of the floor. A NaN compares as
//! IEEE 754-2019, 5.11 says, and converts to any integer. If small numbers are flushed to zero (`-ftz`), all operations of
//! the format see the flushed number, and the floor is that of it.

use super::{FloatComparison, IntegerRounding, UNIT, is_power_of_two};
use crate::symbolic::memory::value::{Ratio, Rounding};
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;

/// A comparison of an unknown number with one of a format with `precision` significant bits.
#[derive(Clone, Copy, Debug)]
pub struct FlooredComparison {
    pub how: FloatComparison,
    /// Whether the comparison holds for a NaN.
    pub unordered: bool,
    pub precision: u32,
}

impl FloatComparison {
    /// The same comparison with exchanged sides.
    const fn turned(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            same => same,
        }
    }
}

impl Arena {
    /// An arbitrary floating-point number that keeps its identity.
    pub fn real_unknown(&mut self, reason: &UnknownReason) -> Ratio {
        let unknown = SymKind::Unknown { reason: reason.clone() };
        let nan = self.fresh_bool(unknown.clone(), "?");
        Ratio {
            num: self.fresh(unknown, "?", Interval { lo: None, hi: None }),
            den: 1,
            rounding: Rounding::Floored { nan },
        }
    }

    /// Returns the same number by an error bound; `None` if it may be a NaN, or infinite: arithmetic makes NaNs of that.
    pub(super) fn with_error(&mut self, r: &Ratio) -> Option<Ratio> {
        let Rounding::Floored { nan } = r.rounding else { return Some(*r) };
        if self.as_bool(nan) != Some(false) || self.magnitude(r.num).is_none() {
            return None;
        }
        let twice = self.scale(r.num, 2);
        Some(Ratio { num: self.add_const(twice, 1), den: 2, rounding: Rounding::Within(1 << (UNIT - 1)) })
    }

    /// Returns a known number by its floor.
    fn by_floor(&mut self, r: &Ratio) -> Option<Ratio> {
        if matches!(r.rounding, Rounding::Floored { .. }) {
            return Some(*r);
        }
        let nan = self.bool(false);
        Some(Ratio { num: self.real_whole(r, IntegerRounding::Floor)?, den: 1, rounding: Rounding::Floored { nan } })
    }

    /// Rounds a number with this floor to an integer. Rounded upwards, it is the floor or the next integer.
    pub(super) fn floored_whole(&mut self, floor: TermId, way: IntegerRounding) -> TermId {
        let upwards = match way {
            IntegerRounding::Floor => return floor,
            IntegerRounding::Ceil => self.bool(true),
            IntegerRounding::Trunc => {
                let zero = self.int(0);
                self.lt(floor, zero)
            }
        };
        let between = self.fresh_bool(SymKind::Unknown { reason: UnknownReason::FloatRounding }, "?");
        let (next, up) = (self.add_const(floor, 1), self.and(upwards, between));
        self.ite(up, next, floor)
    }

    /// Rounds an unknown number to an integral number of the same format, which is a NaN if the number is.
    pub fn real_floored_whole(&mut self, r: &Ratio, way: IntegerRounding) -> Option<Ratio> {
        let Rounding::Floored { .. } = r.rounding else { return None };
        Some(Ratio { num: self.floored_whole(r.num, way), ..*r })
    }

    /// Chooses between two numbers, if one of them is unknown: the first where `condition` holds.
    pub fn real_chosen(&mut self, condition: TermId, x: &Ratio, y: &Ratio) -> Option<Ratio> {
        let either = [x, y].iter().any(|r| matches!(r.rounding, Rounding::Floored { .. }));
        let (x, y) = if either { (self.by_floor(x)?, self.by_floor(y)?) } else { return None };
        let (Rounding::Floored { nan: a }, Rounding::Floored { nan: b }) = (x.rounding, y.rounding) else {
            return None;
        };
        let other = self.not(condition);
        let (a, b) = (self.and(condition, a), self.and(other, b));
        let nan = self.or(a, b);
        Some(Ratio { num: self.ite(condition, x.num, y.num), den: 1, rounding: Rounding::Floored { nan } })
    }

    /// Smaller or larger one of two numbers, if one of them is unknown: its floor is that of the floors. Of a NaN and a
    /// number it is the number, or the NaN if that `spreads`.
    pub fn real_floored_extreme(&mut self, greatest: bool, x: &Ratio, y: &Ratio, spreads: bool) -> Option<Ratio> {
        let either = [x, y].iter().any(|r| matches!(r.rounding, Rounding::Floored { .. }));
        let (x, y) = if either { (self.by_floor(x)?, self.by_floor(y)?) } else { return None };
        let (Rounding::Floored { nan: a }, Rounding::Floored { nan: b }) = (x.rounding, y.rounding) else {
            return None;
        };
        let both = if greatest { self.max(x.num, y.num) } else { self.min(x.num, y.num) };
        let (num, nan) = if spreads {
            (both, self.or(a, b))
        } else {
            let first = self.ite(b, x.num, both);
            (self.ite(a, y.num, first), self.and(a, b))
        };
        Some(Ratio { num, den: 1, rounding: Rounding::Floored { nan } })
    }

    /// Compares two numbers of which at least one is unknown.
    pub fn real_floored_compare(&mut self, by: FlooredComparison, x: &Ratio, y: &Ratio) -> Option<TermId> {
        let (how, bounds, nan) = match (x.rounding, y.rounding) {
            (Rounding::Floored { nan: a }, Rounding::Floored { nan: b }) => {
                (by.how, self.floored_bounds_of_two(by.how, x.num, y.num), self.or(a, b))
            }
            (Rounding::Floored { nan }, _) => (by.how, self.floored_bounds(by.how, x.num, y, by.precision), nan),
            (_, Rounding::Floored { nan }) => {
                let how = by.how.turned();
                (how, self.floored_bounds(how, y.num, x, by.precision), nan)
            }
            _ => return None,
        };
        let holds = match how {
            FloatComparison::Always => self.bool(true),
            FloatComparison::Never => self.bool(false),
            _ => {
                let (surely, possibly) = bounds?;
                if surely == possibly {
                    surely
                } else {
                    let unknown = SymKind::Unknown { reason: UnknownReason::FloatComparison };
                    let either = self.fresh_bool(unknown, "?");
                    let maybe = self.and(possibly, either);
                    self.or(surely, maybe)
                }
            }
        };
        if by.unordered {
            return Some(self.or(nan, holds));
        }
        let number = self.not(nan);
        Some(self.and(number, holds))
    }

    /// Conditions under which two numbers that are no NaNs surely and possibly compare like that.
    fn floored_bounds_of_two(&mut self, how: FloatComparison, x: TermId, y: TermId) -> Option<(TermId, TermId)> {
        let (yes, no) = (self.bool(true), self.bool(false));
        Some(match how {
            FloatComparison::Lt | FloatComparison::Le => (self.lt(x, y), self.le(x, y)),
            FloatComparison::Gt | FloatComparison::Ge => (self.lt(y, x), self.le(y, x)),
            FloatComparison::Eq => (no, self.eq(x, y)),
            FloatComparison::Ne => (self.ne(x, y), yes),
            FloatComparison::Always | FloatComparison::Never => return None,
        })
    }

    /// Conditions under which a number `x` that is no NaN surely and possibly compares like that with `q = num / den`, or
    /// with `q` rounded monotonically to a format that holds `x`. There, `x` is on the same side of the rounded number as
    /// of `q`, or equal to it: `x >= q` implies `x >= round(q)`, since `round(x) = x`. A number of few bits is not rounded.
    fn floored_bounds(
        &mut self,
        how: FloatComparison,
        floor: TermId,
        other: &Ratio,
        precision: u32,
    ) -> Option<(TermId, TermId)> {
        let next = self.add_const(floor, 1);
        // floor <= x < floor + 1
        let ends = [self.scale(floor, other.den), self.scale(next, other.den), other.num];
        let (surely, possibly) = self.bounds_beside(how, ends)?;
        let bits = match other.rounding {
            Rounding::Exact => return Some((surely, possibly)),
            Rounding::Monotone { bits, .. } if bits >= precision && bits < u32::BITS * 2 => bits,
            _ => return None,
        };
        let is_few = if is_power_of_two(other.den) {
            let (least, most) = (self.int(-(1 << bits)), self.int(1 << bits));
            let (above, below) = (self.le(least, other.num), self.le(other.num, most));
            self.and(above, below)
        } else {
            self.bool(false)
        };
        // x < round(q) implies x < q, and x > round(q) implies x > q.
        let (yes, no) = (self.bool(true), self.bool(false));
        let [low, high, num] = ends;
        let (rounded_surely, rounded_possibly) = match how {
            FloatComparison::Lt => (no, self.lt(low, num)),
            FloatComparison::Ge => (self.le(num, low), yes),
            FloatComparison::Gt => (no, self.lt(num, high)),
            FloatComparison::Le => (self.le(high, num), yes),
            _ => (no, yes),
        };
        let is_rounded = self.not(is_few);
        let (exactly, perhaps) = (self.and(is_few, surely), self.or(is_rounded, possibly));
        Some((self.or(exactly, rounded_surely), self.and(perhaps, rounded_possibly)))
    }

    /// Conditions under which a number surely and possibly compares like that with `num`, if it is at least `low` and less
    /// than `high`.
    fn bounds_beside(&mut self, how: FloatComparison, [low, high, num]: [TermId; 3]) -> Option<(TermId, TermId)> {
        let (yes, no) = (self.bool(true), self.bool(false));
        Some(match how {
            FloatComparison::Lt => (self.le(high, num), self.lt(low, num)),
            FloatComparison::Le => (self.le(high, num), self.le(low, num)),
            FloatComparison::Gt => (self.lt(num, low), self.lt(num, high)),
            FloatComparison::Ge => (self.le(num, low), self.lt(num, high)),
            FloatComparison::Eq => {
                let (above, below) = (self.le(low, num), self.lt(num, high));
                (no, self.and(above, below))
            }
            FloatComparison::Ne => {
                let (above, below) = (self.lt(num, low), self.le(high, num));
                (self.or(above, below), yes)
            }
            FloatComparison::Always | FloatComparison::Never => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{FlooredComparison, Rounding};
    use crate::symbolic::memory::value::Ratio;
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::floating::{FloatComparison, IntegerRounding};
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
    use base::reasons::UnknownReason;

    const NUMBERS: &[f32] = &[
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        -1.5,
        2.0,
        3.25,
        1e-40,
        -1e-40,
        16_777_215.0,
        16_777_216.0,
        16_777_218.0,
        16_777_220.0,
        -16_777_218.0,
        2_147_483_648.0,
        -2_147_483_648.0,
    ];
    const WHOLE: &[i32] =
        &[0, 1, -1, 2, 3, 16_777_215, 16_777_216, 16_777_217, 16_777_219, -16_777_217, i32::MAX, i32::MIN];
    const NAMES: &[&str] = &[
        "oeq", "ueq", "one", "une", "olt", "ult", "ole", "ule", "ogt", "ugt", "oge", "uge", "ord", "true", "uno",
        "false",
    ];

    fn compares(name: &str, x: f32, y: f32) -> bool {
        let unordered = x.is_nan() || y.is_nan();
        match name {
            "ord" => return !unordered,
            "uno" => return unordered,
            "true" => return true,
            "false" => return false,
            _ if unordered => return name.starts_with('u'),
            _ => {}
        }
        match &name[1..] {
            "eq" => x == y,
            "ne" => x != y,
            "lt" => x < y,
            "le" => x <= y,
            "gt" => x > y,
            _ => x >= y,
        }
    }

    /// Floors that a number may have.
    fn floors(x: f32) -> Vec<i128> {
        if x.is_nan() {
            vec![-7, 0, 1 << 40]
        } else if x.is_infinite() {
            vec![if x > 0.0 { 1 << 100 } else { -(1 << 100) }]
        } else {
            vec![f64::from(x).floor() as i128]
        }
    }

    /// Values of a term where an unknown number is `x`, and another symbol is `w`: whatever other unknowns are.
    fn values(a: &mut Arena, t: TermId, unknown: &Ratio, x: f32, other: (TermId, i128)) -> Vec<i128> {
        let Rounding::Floored { nan } = unknown.rounding else { panic!("an unknown number") };
        let symbols = a.symbols_of(&[t]);
        let terms: Vec<TermId> = symbols.iter().map(|s| a.symbol_term(*s)).collect();
        let mut all = vec![];
        for floor in floors(x) {
            for free in [0, 1] {
                let of = |s| {
                    let term = terms[symbols.binary_search(&s).ok()?];
                    Some(if term == unknown.num {
                        floor
                    } else if term == nan {
                        i128::from(x.is_nan())
                    } else if term == other.0 {
                        other.1
                    } else {
                        free
                    })
                };
                all.extend(a.eval(t, &of));
            }
        }
        all
    }

    #[test]
    fn comparisons_say_what_holds_for_the_floor() {
        let mut a = Arena::new();
        let unknown = a.real_unknown(&UnknownReason::Float);
        let w = a.fresh(SymKind::Input(InputSource::Argv(1)), "w", Interval::of_int(32, true));
        let rounded = a.real_of_int(w, 24).expect("followed");
        assert!(matches!(rounded.rounding, Rounding::Monotone { .. }));
        let mut exact = 0;
        for name in NAMES {
            let by = FlooredComparison {
                how: FloatComparison::of(name).expect("a predicate"),
                unordered: name.starts_with('u') || *name == "true",
                precision: 24,
            };
            let mut others: Vec<(Ratio, f32, i128)> =
                WHOLE.iter().map(|v| (rounded, *v as f32, i128::from(*v))).collect();
            for (num, den) in [(0, 1), (1, 1), (-1, 1), (3, 1), (1, 2), (-3, 2), (5, 4)] {
                let ratio = Ratio { den, ..Ratio::exact(a.int(num)) };
                others.push((ratio, num as f32 / den as f32, 0));
            }
            for (ratio, number, value) in others {
                let terms =
                    [a.real_floored_compare(by, &unknown, &ratio), a.real_floored_compare(by, &ratio, &unknown)];
                for x in NUMBERS {
                    for (turned, t) in terms.iter().enumerate() {
                        let Some(t) = *t else { continue };
                        let held = if turned == 0 { compares(name, *x, number) } else { compares(name, number, *x) };
                        let values = values(&mut a, t, &unknown, *x, (w, value));
                        assert!(values.contains(&i128::from(held)), "{x} {name} {number}, turned {turned}: {values:?}");
                        exact += usize::from(values.iter().all(|v| *v == i128::from(held)));
                    }
                }
            }
        }
        assert!(exact > 8000, "{exact}");
        // Numbers of more bits than the format of the other one may lie between it and what was rounded.
        let by = FlooredComparison { how: FloatComparison::Lt, unordered: false, precision: 53 };
        assert_eq!(a.real_floored_compare(by, &unknown, &rounded), None);
    }

    #[test]
    fn comparisons_of_two_say_what_holds_for_the_floors() {
        let mut a = Arena::new();
        let two = [a.real_unknown(&UnknownReason::Float), a.real_unknown(&UnknownReason::Float)];
        let Rounding::Floored { nan: other_nan } = two[1].rounding else { panic!("an unknown number") };
        for name in NAMES {
            let how = FloatComparison::of(name).expect("a predicate");
            let unordered = name.starts_with('u') || *name == "true";
            let by = FlooredComparison { how, unordered, precision: 24 };
            let t = a.real_floored_compare(by, &two[0], &two[1]).expect("followed");
            for (x, y) in NUMBERS.iter().flat_map(|x| NUMBERS.iter().map(move |y| (*x, *y))) {
                let mut all = vec![];
                for floor in floors(y) {
                    let (floor, is_nan) = (a.int(floor), a.bool(y.is_nan()));
                    let of = [(two[1].num, floor), (other_nan, is_nan)].into_iter().collect();
                    let t = a.substitute(t, &of);
                    all.extend(values(&mut a, t, &two[0], x, (floor, 0)));
                }
                assert!(all.contains(&i128::from(compares(name, x, y))), "{x} {name} {y}: {all:?}");
            }
        }
    }

    #[test]
    fn choices_and_extremes_have_the_floor_of_the_number() {
        let mut a = Arena::new();
        let unknown = a.real_unknown(&UnknownReason::Float);
        let free = a.int(0);
        for (num, den) in [(0, 1), (7, 1), (-3, 2), (5, 4)] {
            let (ratio, number) = (Ratio { den, ..Ratio::exact(a.int(num)) }, num as f32 / den as f32);
            for (greatest, spreads) in [(true, false), (false, false), (true, true), (false, true)] {
                let r = a.real_floored_extreme(greatest, &unknown, &ratio, spreads).expect("followed");
                let Rounding::Floored { nan } = r.rounding else { panic!("a floor") };
                for x in NUMBERS {
                    // `f32::max` returns the number of a number and a NaN.
                    let machine = if greatest { x.max(number) } else { x.min(number) };
                    let is_nan = spreads && x.is_nan();
                    assert!(
                        values(&mut a, nan, &unknown, *x, (free, 0)).iter().all(|v| (*v != 0) == is_nan),
                        "{x} {number}"
                    );
                    if !is_nan {
                        let all = values(&mut a, r.num, &unknown, *x, (free, 0));
                        assert!(all.iter().all(|v| floors(machine).contains(v)), "{x} {number}: {all:?}");
                    }
                }
            }
        }
        for way in [IntegerRounding::Floor, IntegerRounding::Ceil, IntegerRounding::Trunc] {
            let t = a.floored_whole(unknown.num, way);
            for x in NUMBERS.iter().filter(|x| x.is_finite()) {
                let whole = match way {
                    IntegerRounding::Floor => x.floor(),
                    IntegerRounding::Ceil => x.ceil(),
                    IntegerRounding::Trunc => x.trunc(),
                };
                let all = values(&mut a, t, &unknown, *x, (free, 0));
                assert!(all.contains(&(whole as i128)), "{x} {way:?}: {all:?}");
            }
        }
        assert!(matches!(a.get(unknown.num), Term::Sym(_)));
    }
}
