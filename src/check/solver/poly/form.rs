//! Arithmetic on polynomials for the search: tightening, bounds, divisibility of monomials. All arithmetic is
//! checked: `None` where 127 bits do not suffice.

use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Monomial, Poly, TermId};
use smallvec::SmallVec;

/// Indices of the facts that a result rests on, sorted.
pub(super) type FactIndices = SmallVec<[u16; 4]>;

pub(super) fn union(a: &FactIndices, b: &FactIndices) -> FactIndices {
    if b.is_empty() {
        return a.clone();
    }
    let mut v: FactIndices = a.iter().chain(b.iter()).copied().collect();
    v.sort_unstable();
    v.dedup();
    v
}

/// Divides `p >= 0` by the common factor of its coefficients and rounds the constant down: equivalent over the
/// integers.
pub(super) fn tighten(p: Poly) -> Poly {
    let g = p.common_divisor();
    if g <= 1 { p } else { p.divided(g) }
}

pub(super) fn scaled(p: &Poly, c: i128) -> Option<Poly> {
    Poly::default().add_scaled(p, c)
}

pub(super) fn plus(p: &Poly, c: i128) -> Option<Poly> {
    p.add_scaled(&Poly::of(Monomial::new(), 1), c)
}

pub(super) fn atom(t: TermId) -> Poly {
    Poly::of(smallvec::smallvec![t], 1)
}

/// Divides `m` by `d`, if `d` divides it. Both are sorted.
pub(super) fn divide(m: &[TermId], d: &[TermId]) -> Option<Monomial> {
    let mut out = Monomial::new();
    let mut j = 0;
    for &a in m {
        if j < d.len() && d[j] == a {
            j += 1;
        } else {
            out.push(a);
        }
    }
    (j == d.len()).then_some(out)
}

/// Product of sorted monomials, sorted.
pub(super) fn product(a: &[TermId], b: &[TermId]) -> Monomial {
    let mut m: Monomial = a.iter().chain(b).copied().collect();
    m.sort_unstable();
    m
}

/// Greatest common divisor of all monomials.
pub(super) fn common(p: &Poly) -> Monomial {
    let mut terms = p.terms.iter();
    let Some((first, _)) = terms.next() else { return Monomial::new() };
    let mut g = first.clone();
    for (m, _) in terms {
        if g.is_empty() {
            break;
        }
        let mut rest = m.clone();
        g.retain(|a| {
            rest.iter().position(|b| b == a).is_some_and(|i| {
                rest.remove(i);
                true
            })
        });
    }
    g
}

/// Divides every monomial of the polynomial by `d`.
pub(super) fn quotient(p: &Poly, d: &[TermId]) -> Option<Poly> {
    let terms: Option<Vec<_>> = p.terms.iter().map(|(m, c)| Some((divide(m, d)?, *c))).collect();
    let mut terms = terms?;
    terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Some(Poly { terms })
}

/// Cofactor of an atom (from the monomials that contain it once); `None` where the atom occurs in a higher power.
pub(super) fn cofactor(p: &Poly, x: TermId) -> Option<Poly> {
    let mut terms = vec![];
    for (m, c) in &p.terms {
        match m.iter().filter(|a| **a == x).count() {
            0 => {}
            1 => terms.push((divide(m, &[x])?, *c)),
            _ => return None,
        }
    }
    terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Some(Poly { terms })
}

/// Product of ranges, unbounded ends included.
pub(super) fn mul_ranges(a: Interval, b: Interval) -> Interval {
    // Ends of ranges, as (sign of infinity, finite value).
    let ends = |r: Interval| [r.lo.map_or((-1, 0), |v| (0, v)), r.hi.map_or((1, 0), |v| (0, v))];
    let sign = |e: (i32, i128)| if e.0 == 0 { e.1.signum() as i32 } else { e.0 };
    let (mut lo, mut hi) = (None::<i128>, None::<i128>);
    let (mut lo_free, mut hi_free) = (false, false);
    for x in ends(a) {
        for y in ends(b) {
            let s = sign(x) * sign(y);
            // 0 times an unbounded end is 0: the end stands for finite values.
            let finite = if s == 0 {
                Some(0)
            } else if x.0 == 0 && y.0 == 0 {
                x.1.checked_mul(y.1)
            } else {
                None
            };
            match finite {
                Some(v) => {
                    lo = Some(lo.map_or(v, |l| l.min(v)));
                    hi = Some(hi.map_or(v, |h| h.max(v)));
                }
                None if s < 0 => lo_free = true,
                None => hi_free = true,
            }
        }
    }
    Interval { lo: if lo_free { None } else { lo }, hi: if hi_free { None } else { hi } }
}

/// Power of a range.
pub(super) fn power(r: Interval, n: usize) -> Interval {
    let mut p = r;
    for _ in 1..n {
        p = mul_ranges(p, r);
    }
    if n.is_multiple_of(2) { p.intersect(Interval { lo: Some(0), hi: None }) } else { p }
}

/// `s·p - m·f`.
pub(super) fn subtract(p: &Poly, s: i128, f: &Poly, m: &Poly) -> Option<Poly> {
    scaled(p, s)?.add_scaled(&f.mul(m)?, -1)
}
