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

#[cfg(test)]
mod tests {
    use super::{common, divide, mul_ranges, power, product, quotient, subtract, tighten};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, Monomial, Poly, SymKind, TermId};
    use smallvec::SmallVec;

    fn names(a: &mut Arena) -> [TermId; 3] {
        ["x", "y", "z"].map(|n| a.fresh(SymKind::Input(InputSource::World(n.into())), n, Interval::ANY))
    }

    /// Monomials of at most three factors.
    fn monomials(names: &[TermId]) -> Vec<Monomial> {
        let mut all = vec![Monomial::new()];
        for _ in 0..3 {
            let longer: Vec<Monomial> = all.iter().flat_map(|m| names.iter().map(move |n| product(m, &[*n]))).collect();
            all.extend(longer);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn a_monomial_divides_just_its_products() {
        let all = monomials(&names(&mut Arena::new()));
        for m in &all {
            for d in &all {
                let factor: Vec<&Monomial> = all.iter().filter(|q| product(q, d) == *m).collect();
                assert_eq!(divide(m, d).as_ref().into_iter().collect::<Vec<_>>(), factor, "{m:?} by {d:?}");
            }
        }
    }

    #[test]
    fn the_common_factor_is_the_largest_that_divides_all() {
        let all = monomials(&names(&mut Arena::new()));
        for a in &all {
            for b in all.iter().filter(|b| *b > a) {
                let p = Poly { terms: vec![(a.clone(), 3), (b.clone(), -2)] };
                let g = common(&p);
                let divisors = all.iter().filter(|d| divide(a, d).is_some() && divide(b, d).is_some());
                assert_eq!(Some(g.len()), divisors.map(SmallVec::len).max(), "{p:?}");
                assert_eq!(quotient(&p, &g).and_then(|q| q.mul(&Poly::of(g, 1))), Some(p));
            }
        }
    }

    #[test]
    fn tightening_keeps_the_integers_that_satisfy_a_bound() {
        let x = names(&mut Arena::new())[0];
        for (c, k) in (-6..=6).flat_map(|c| (-9..=9).map(move |k| (c, k))).filter(|(c, _)| *c != 0) {
            let p = Poly::of(smallvec::smallvec![x], c).add_scaled(&Poly::of(Monomial::new(), 1), k).unwrap();
            let at =
                |p: &Poly, v: i128| p.terms.iter().map(|(m, c)| if m.is_empty() { *c } else { c * v }).sum::<i128>();
            let tight = tighten(p.clone());
            for v in -12..=12 {
                assert_eq!(at(&p, v) >= 0, at(&tight, v) >= 0, "{c}·{v} + {k} and {tight:?}");
            }
            assert_eq!(tight.terms.iter().find(|t| !t.0.is_empty()).map(|t| t.1), Some(c.signum()));
        }
    }

    #[test]
    fn a_multiple_of_a_fact_is_taken_away() {
        let [x, y, z] = names(&mut Arena::new()).map(|n| Poly::of(smallvec::smallvec![n], 1));
        let f = x.add_scaled(&y, -2).unwrap();
        // 3·z - y·(x - 2·y)
        let expected = z.add_scaled(&z, 2).unwrap().add_scaled(&x.mul(&y).unwrap(), -1).unwrap();
        let expected = expected.add_scaled(&y.mul(&y).unwrap(), 2).unwrap();
        assert_eq!(subtract(&z, 3, &f, &y), Some(expected));
    }

    /// Intervals with ends from -3 to 3 or none; ends that are missing are at ±`far`.
    fn intervals(far: i128) -> Vec<(Interval, i128, i128)> {
        let ends = || std::iter::once(None).chain((-3..=3).map(Some));
        ends()
            .flat_map(|lo| ends().map(move |hi| (lo, hi)))
            .map(|(lo, hi): (Option<i128>, Option<i128>)| (Interval { lo, hi }, lo.unwrap_or(-far), hi.unwrap_or(far)))
            .filter(|(_, lo, hi)| lo <= hi)
            .collect()
    }

    #[test]
    fn the_range_of_a_product_is_the_hull_of_all_products() {
        const FAR: i128 = 100;
        for (a, a0, a1) in intervals(FAR) {
            for (b, b0, b1) in intervals(FAR) {
                // The product is linear in each factor, so its extremes are at the ends. Beyond ±9 only missing ends lead.
                let ends = [a0 * b0, a0 * b1, a1 * b0, a1 * b1];
                let (lo, hi) = (ends.into_iter().min(), ends.into_iter().max());
                let hull = Interval { lo: lo.filter(|v| *v >= -9), hi: hi.filter(|v| *v <= 9) };
                assert_eq!(mul_ranges(a, b), hull, "{a:?} times {b:?}");
            }
        }
    }

    #[test]
    fn the_range_of_a_power_holds_all_powers_and_squares_are_not_negative() {
        for (r, lo, hi) in intervals(5) {
            for n in 1..=4u32 {
                let range = power(r, n as usize);
                for v in lo..=hi {
                    assert!(range.contains_value(v.pow(n)), "{v}^{n} in {range:?} of {r:?}");
                }
                assert!(n % 2 == 1 || range.lo.is_some_and(|v| v >= 0), "{range:?} of {r:?}");
            }
            assert_eq!(power(r, 1), r);
        }
    }
}
