//! Integer intervals, and bounds of terms that hold without any path condition (interval analysis, Cousot and Cousot
//! 1976).

use super::arena::Arena;
use super::term::{Poly, Term};
use serde::{Deserialize, Serialize};

/// Width in bits of the widest integers whose wrap-around is followed: bounds are 128-bit numbers. A wider integer is
/// exact if its bounds show that it does not wrap, and arbitrary otherwise.
pub const WIDEST: u32 = 120;

/// Inclusive bounds; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Interval {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Interval {
    pub const ANY: Self = Self { lo: None, hi: None };
    #[must_use]
    pub const fn new(lo: i128, hi: i128) -> Self {
        Self { lo: Some(lo), hi: Some(hi) }
    }
    #[must_use]
    pub const fn point(v: i128) -> Self {
        Self::new(v, v)
    }
    /// Range of an interpretation: `signed(32)`, `unsigned(8)`. For integers wider than [`WIDEST`] only a part of it;
    /// see [`Self::of_value`].
    #[must_use]
    pub fn of_int(bits: u32, signed: bool) -> Self {
        let bits = bits.min(WIDEST);
        if signed {
            Self::new(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            Self::new(0, (1i128 << bits) - 1)
        }
    }
    /// Range of an arbitrary integer of `bits` bits.
    #[must_use]
    pub fn of_value(bits: u32, signed: bool) -> Self {
        if bits <= WIDEST { Self::of_int(bits, signed) } else { Self { lo: (!signed).then_some(0), hi: None } }
    }
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        (match (self.lo, other.lo) {
            (None, _) => true,
            (Some(a), Some(b)) => a <= b,
            _ => false,
        }) && (match (self.hi, other.hi) {
            (None, _) => true,
            (Some(a), Some(b)) => a >= b,
            _ => false,
        })
    }
    #[must_use]
    pub fn contains_value(self, v: i128) -> bool {
        self.contains(Self::point(v))
    }
    #[must_use]
    pub fn union(self, o: Self) -> Self {
        Self { lo: self.lo.zip(o.lo).map(|(a, b)| a.min(b)), hi: self.hi.zip(o.hi).map(|(a, b)| a.max(b)) }
    }
    #[must_use]
    pub fn intersect(self, o: Self) -> Self {
        let pick = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        Self { lo: pick(self.lo, o.lo, i128::max), hi: pick(self.hi, o.hi, i128::min) }
    }
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "bounds of a sum, and no sum of anything")]
    pub fn add(self, o: Self) -> Self {
        Self {
            lo: self.lo.zip(o.lo).and_then(|(a, b)| a.checked_add(b)),
            hi: self.hi.zip(o.hi).and_then(|(a, b)| a.checked_add(b)),
        }
    }
    #[must_use]
    pub fn scale(self, c: i128) -> Self {
        let m = |v: Option<i128>| v.and_then(|v| v.checked_mul(c));
        if c >= 0 {
            if c == 0 { Self::point(0) } else { Self { lo: m(self.lo), hi: m(self.hi) } }
        } else {
            Self { lo: m(self.hi), hi: m(self.lo) }
        }
    }
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "bounds of a product, and no product of anything")]
    pub fn mul(self, o: Self) -> Self {
        // Only the needed cases: bounded boxes, and products of half-bounded non-negative ranges.
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo, self.hi, o.lo, o.hi) {
            let p = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            if p.iter().all(Option::is_some) {
                return Self { lo: p.iter().flatten().min().copied(), hi: p.iter().flatten().max().copied() };
            }
        }
        if self.lo.is_some_and(|v| v >= 0) && o.lo.is_some_and(|v| v >= 0) {
            return Self {
                lo: self.lo.zip(o.lo).and_then(|(a, b)| a.checked_mul(b)),
                hi: self.hi.zip(o.hi).and_then(|(a, b)| a.checked_mul(b)),
            };
        }
        Self::ANY
    }
}

impl Arena {
    /// Bounds of a node from the bounds of its parts.
    pub(super) fn compute_range(&self, t: &Term) -> Interval {
        match t {
            Term::Int(v) => Interval::point(*v),
            Term::Sym(s) => self.symbol(*s).range,
            Term::Poly(p) => self.range_of_poly(p),
            Term::Div(a, b) => {
                let (ra, rb) = (self.range(*a), self.range(*b));
                if rb.lo.is_some_and(|v| v >= 1) {
                    let lo = ra.lo.map(|v| if v >= 0 { rb.hi.map_or(0, |h| v / h) } else { v / rb.lo.unwrap_or(1) });
                    let hi = ra.hi.map(|v| if v >= 0 { v / rb.lo.unwrap_or(1) } else { rb.hi.map_or(0, |h| v / h) });
                    Interval { lo, hi }
                } else if let (Some(l), Some(h)) =
                    (ra.lo.and_then(i128::checked_abs), ra.hi.and_then(i128::checked_abs))
                {
                    let m = l.max(h);
                    Interval::new(-m, m)
                } else {
                    Interval::ANY
                }
            }
            Term::Rem(a, b) => {
                let (ra, rb) = (self.range(*a), self.range(*b));
                let m = match (rb.lo, rb.hi) {
                    (Some(l), Some(h)) => l.checked_abs().zip(h.checked_abs()).map(|(l, h)| (l.max(h) - 1).max(0)),
                    _ => None,
                };
                let hi = match (ra.hi, m) {
                    (Some(h), Some(m)) => Some(h.max(0).min(m)),
                    (Some(h), None) => Some(h.max(0)),
                    (None, m) => m,
                };
                let lo = match (ra.lo, m) {
                    (Some(l), Some(m)) => Some(l.min(0).max(-m)),
                    (Some(l), None) => Some(l.min(0)),
                    (None, m) => m.map(|m| -m),
                };
                Interval { lo, hi }
            }
            Term::FloorDiv(a, c) => {
                let r = self.range(*a);
                Interval { lo: r.lo.map(|v| v.div_euclid(*c)), hi: r.hi.map(|v| v.div_euclid(*c)) }
            }
            Term::Mod(_, c) => Interval::new(0, c - 1),
            Term::Ite(_, a, b) => self.range(*a).union(self.range(*b)),
            Term::Wrap { bits, signed, .. } => Interval::of_int(*bits, *signed),
            Term::BitAnd(a, b, bits) => {
                let mut r = Interval::of_int(*bits, false);
                for x in [a, b] {
                    let rx = self.range(*x);
                    if rx.lo.is_some_and(|v| v >= 0) {
                        r = r.intersect(Interval { lo: Some(0), hi: rx.hi });
                    }
                }
                r
            }
            Term::BitOr(a, b, bits) | Term::BitXor(a, b, bits) => {
                let (ra, rb) = (self.range(*a), self.range(*b));
                match (ra.lo, ra.hi, rb.lo, rb.hi) {
                    (Some(l), Some(h), Some(l2), Some(h2)) if l >= 0 && l2 >= 0 => {
                        let top = 128 - (h | h2).leading_zeros();
                        Interval::new(
                            if matches!(t, Term::BitOr(..)) { l.max(l2) } else { 0 },
                            (1i128 << top.min(126)) - 1,
                        )
                    }
                    _ => Interval::of_int(*bits, false),
                }
            }
            Term::Pow2(a) => {
                let r = self.range(*a);
                let p = |v: Option<i128>| v.filter(|v| (0..=126).contains(v)).map(|v| 1i128 << v);
                Interval { lo: p(r.lo).or(Some(1)), hi: p(r.hi) }
            }
            Term::Apply { range, .. } => *range,
            _ => Interval::new(0, 1),
        }
    }

    fn range_of_poly(&self, p: &Poly) -> Interval {
        let mut sum = Interval::point(0);
        for (m, c) in &p.terms {
            let mut r = Interval::point(1);
            let mut i = 0;
            while i < m.len() {
                let mut n = 1;
                while i + n < m.len() && m[i + n] == m[i] {
                    n += 1;
                }
                let base = self.range(m[i]);
                let mut power = Interval::point(1);
                for _ in 0..n {
                    power = power.mul(base);
                }
                if n % 2 == 0 {
                    power = power.intersect(Interval { lo: Some(0), hi: None });
                }
                r = r.mul(power);
                i += n;
            }
            sum = sum.add(r.scale(*c));
        }
        sum
    }
}
