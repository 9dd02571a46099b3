//! Search steps for quotients and remainders, which intervals and the cancellation of single facts would miss.
//!
//! In: a polynomial to be shown non-negative, and quotients whose divisors are known to be positive. Out: polynomials
//! that imply it, all exact over the integers unless noted. Index arithmetic is full of them: `i / cols * ld + i %
//! cols`, `(i / w) % h`.

use super::form::{FactIndices, atom, divide, plus, product, quotient, scaled, union};
use super::store::ConstraintStore;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Monomial, Poly, TermId};

/// `dividend = divisor·quotient + remainder`, where all four occur.
#[derive(Clone)]
pub(super) struct Division {
    pub dividend: Poly,
    pub divisor: Poly,
    pub quotient: TermId,
    pub remainder: TermId,
    pub used: FactIndices,
}

/// Most divisions recombined in one polynomial.
const MAX: usize = 8;

impl ConstraintStore {
    /// Uses that over integers `P >= 0` follows from `d·P + d - 1 >= 0` for a `d >= 1`; where P subtracts a quotient
    /// by `d`, this turns the quotient into the dividend.
    pub(super) fn by_divisor(&mut self, arena: &Arena, p: &Poly, depth: u32) -> Option<FactIndices> {
        for (m, c) in &p.terms {
            let [q] = m.as_slice() else { continue };
            if *c >= 0 {
                continue;
            }
            let Some((d, used)) = self.divisors.get(q).cloned() else { continue };
            let Some(whole) = p.mul(&d).and_then(|dp| dp.add_scaled(&d, 1)).and_then(|dp| plus(&dp, -1)) else {
                continue;
            };
            // Tightening would undo the step where the divisor is a constant.
            let found = if d.is_constant() {
                self.by_facts(arena, &whole, depth - 1)
            } else {
                self.nonneg(arena, &whole, depth - 1)
            };
            if let Some(rest) = found {
                return Some(union(&rest, &used));
            }
        }
        None
    }

    /// Uses that `x + g·Q >= 0` is `x / g + Q >= 0`, rounded down, for a constant `g`: this turns bytes into
    /// elements.
    pub(super) fn by_floor(&mut self, arena: &Arena, p: &Poly, depth: u32) -> Option<FactIndices> {
        for (m, c) in &p.terms {
            let ([x], 1) = (m.as_slice(), c) else { continue };
            for (g, q) in self.floors.get(x).cloned().unwrap_or_default() {
                let Some(whole) = in_multiples(p, *x, g) else { continue };
                let Some(whole) = whole.add_scaled(&atom(q), 1) else { continue };
                if let Some(used) = self.nonneg(arena, &whole, depth - 1) {
                    return Some(used);
                }
            }
        }
        None
    }

    pub(super) fn by_recombination(&mut self, arena: &Arena, p: &Poly, depth: u32) -> Option<FactIndices> {
        let (whole, of) = self.recombined(p)?;
        self.nonneg(arena, &whole, depth - 1).map(|used| union(&used, &of))
    }

    /// Returns the polynomial with each `b·(a / b) + a % b` rewritten to `a`; `None` where it has none.
    pub(super) fn recombined(&self, p: &Poly) -> Option<(Poly, FactIndices)> {
        let (mut whole, mut used) = (p.clone(), FactIndices::new());
        let mut found = 0;
        while found < MAX {
            let next = self.divisions.iter().find_map(|d| Some((d.together(&whole)?, &d.used)));
            let Some((simpler, of)) = next else { break };
            (whole, used, found) = (simpler, union(&used, of), found + 1);
        }
        (found > 0).then_some((whole, used))
    }

    /// Adds bounds of a quotient `q = a / d` of a non-negative `a`, from bounds of `a` that are multiples of the
    /// divisor: `a <= d·R - 1` gives `q <= R - 1`.
    pub(super) fn bounds_of_quotient(&mut self, a: &Poly, d: &Poly, q: TermId, used: &FactIndices) {
        let [(by, 1)] = d.terms.as_slice() else { return };
        let mut bounds: Vec<(Poly, FactIndices)> = vec![];
        for fact in &self.constraints {
            let Some(above) = fact.p.add_scaled(a, 1) else { continue };
            let constant = above.constant();
            let Some(multiple) = plus(&above, -constant).and_then(|p| quotient(&p, by)) else { continue };
            if multiple.terms.is_empty() || multiple.terms.iter().any(|(m, _)| m.contains(&q)) {
                continue;
            }
            // A negative rest of the bound takes one away; a non-negative one adds no more than itself.
            let more = if constant < 0 { -1 } else { constant };
            let bound = plus(&multiple, more).and_then(|b| b.add_scaled(&atom(q), -1));
            bounds.extend(bound.map(|b| (b, union(&fact.used, used))));
        }
        for (bound, used) in bounds {
            self.add_constraint(bound, false, used);
        }
    }
}

impl Division {
    /// Returns the polynomial with the dividend in place of its quotient and remainder, where it has both with the
    /// same factors.
    fn together(&self, p: &Poly) -> Option<Poly> {
        let multiple = self.divisor.mul(&atom(self.quotient))?;
        for (m, c) in &p.terms {
            let Some(factor) = divide(m, &[self.remainder]) else { continue };
            let by = Poly { terms: vec![(factor.clone(), *c)] };
            let (of_quotient, whole) = (multiple.mul(&by)?, self.dividend.mul(&by)?);
            let has = |(n, k): &(Monomial, i128)| p.terms.iter().any(|(m, c)| m == n && c == k);
            if of_quotient.terms.is_empty() || !of_quotient.terms.iter().all(has) {
                continue;
            }
            let of_remainder = Poly { terms: vec![(product(&factor, &[self.remainder]), *c)] };
            return p.add_scaled(&of_quotient, -1)?.add_scaled(&of_remainder, -1)?.add_scaled(&whole, 1);
        }
        None
    }
}

/// Returns `Q` of `x + g·Q`, with the constant rounded down; `None` where another coefficient is no multiple of `g`.
fn in_multiples(p: &Poly, x: TermId, g: i128) -> Option<Poly> {
    let mut terms = vec![];
    for (m, c) in &p.terms {
        match m.as_slice() {
            [y] if *y == x => {}
            [] => terms.push((m.clone(), c.div_euclid(g))),
            _ if c % g == 0 => terms.push((m.clone(), c / g)),
            _ => return None,
        }
    }
    terms.retain(|(_, c)| *c != 0);
    scaled(&Poly { terms }, 1)
}
