//! Divisors of terms: a congruence analysis (Granger, "Static analysis of arithmetical congruences", 1989).
//!
//! In: facts, a term, and a power of two. Out: the largest known power of two, up to that one, that divides every value
//! of the term where the facts hold. Nothing is searched: the cost is linear in the size of the term.

use super::arena::Arena;
use super::term::{Term, TermId};
use base::polynomial::gcd;
use rustc_hash::FxHashMap;

/// Depth of terms that are looked into.
const DEPTH: u32 = 40;

/// Largest power of two that is looked for, also in what is divided.
const LARGEST: i128 = 1 << 60;

/// Divisors that facts state of terms: powers of two.
pub struct KnownDivisors {
    of: FxHashMap<TermId, i128>,
    done: FxHashMap<(TermId, i128), i128>,
}

impl KnownDivisors {
    /// Reads the divisors that these facts state: `n % 4 == 0`.
    #[must_use]
    pub fn of(a: &Arena, facts: &[TermId]) -> Self {
        let mut of: FxHashMap<TermId, i128> = FxHashMap::default();
        let mut zeros: Vec<TermId> = vec![];
        for fact in facts {
            let Term::EqZ(t) = *a.get(*fact) else { continue };
            let mut open = vec![t];
            while let Some(t) = open.pop() {
                match *a.get(t) {
                    // Both are 0 where they have no other bits.
                    Term::BitOr(x, y, bits @ 0..127) => {
                        open.extend([x, y].into_iter().filter(|t| {
                            let range = a.range(*t);
                            range.lo.is_some_and(|lo| lo >= 0) && range.hi.is_some_and(|hi| hi < 1 << bits)
                        }));
                    }
                    _ => zeros.push(t),
                }
            }
        }
        for t in zeros {
            let (divided, by) = match *a.get(t) {
                Term::Mod(x, by) => (x, by),
                Term::Rem(x, by) => match a.as_int(by) {
                    Some(by) => (x, by.saturating_abs()),
                    None => continue,
                },
                _ => continue,
            };
            let mut stated = |t: TermId, by: i128| {
                let known = of.entry(t).or_insert(1);
                *known = by.max(*known);
            };
            let mut open = vec![(divided, power_of_two(by))];
            while let Some((t, power)) = open.pop() {
                stated(t, power);
                match *a.get(t) {
                    // Low bits that are 0 in `x | y` are 0 in both.
                    Term::BitOr(x, y, bits @ 0..127) => open.extend([x, y].map(|t| (t, gcd(power, 1 << bits)))),
                    // What a number is modulo 2^k, its low bits are.
                    Term::Wrap { arg, bits: bits @ 0..127, .. } => open.push((arg, gcd(power, 1 << bits))),
                    _ => {}
                }
            }
        }
        Self { of, done: FxHashMap::default() }
    }

    /// Takes a power of two for a divisor of this term.
    pub fn state(&mut self, t: TermId, power: i128) {
        let known = self.of.entry(t).or_insert(1);
        *known = power.max(*known);
        self.done.clear();
    }

    /// Terms that some fact states to be multiples of this power of two.
    pub fn stated(&self, power: i128) -> impl Iterator<Item = TermId> + '_ {
        let mut all: Vec<TermId> = self.of.iter().filter(|(_, by)| **by >= power).map(|(t, _)| *t).collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// Whether the term is a multiple of this power of two wherever the facts hold.
    pub fn divides(&mut self, a: &Arena, power: i128, t: TermId) -> bool {
        self.divisor(a, t, power, DEPTH) == power
    }

    /// Returns a divisor of the term that divides `most`, a power of two.
    fn divisor(&mut self, a: &Arena, t: TermId, most: i128, depth: u32) -> i128 {
        let Some(depth) = depth.checked_sub(1).filter(|_| most > 1) else { return 1 };
        if let Some(known) = self.done.get(&(t, most)) {
            return *known;
        }
        let stated = self.of.get(&t).map_or(1, |by| gcd(*by, most));
        let found = match a.get(t) {
            Term::Int(n) => gcd(*n, most),
            Term::Poly(p) => p.terms.iter().fold(most, |all, (m, c)| {
                let product = m
                    .iter()
                    .fold(gcd(*c, most), |product, factor| gcd(product * self.divisor(a, *factor, most, depth), most));
                gcd(all, product)
            }),
            Term::Ite(_, x, y) => gcd(self.divisor(a, *x, most, depth), self.divisor(a, *y, most, depth)),
            Term::Wrap { arg, bits, .. } if *bits < 127 => gcd(self.divisor(a, *arg, most, depth), 1 << bits),
            Term::Mod(x, by) => gcd(self.divisor(a, *x, most, depth), *by),
            Term::Rem(x, by) => gcd(self.divisor(a, *x, most, depth), a.as_int(*by).unwrap_or(1)),
            Term::FloorDiv(x, by) => self.quotient(a, *x, *by, most, depth),
            Term::Div(x, by) => a.as_int(*by).map_or(1, |by| self.quotient(a, *x, by, most, depth)),
            Term::BitAnd(x, y, _) => self.divisor(a, *x, most, depth).max(self.divisor(a, *y, most, depth)),
            Term::BitOr(x, y, _) | Term::BitXor(x, y, _) => {
                gcd(self.divisor(a, *x, most, depth), self.divisor(a, *y, most, depth))
            }
            Term::Pow2(x) => match a.range(*x).lo {
                Some(lo @ 0..=126) => gcd(1 << lo, most),
                _ => 1,
            },
            _ => 1,
        };
        let found = found.max(stated);
        self.done.insert((t, most), found);
        found
    }

    /// Returns a divisor of a quotient without remainder; 1 for other quotients, and by other numbers than powers of two.
    fn quotient(&mut self, a: &Arena, x: TermId, by: i128, most: i128, depth: u32) -> i128 {
        let Some(both) = by.checked_mul(most).filter(|both| by > 0 && by.count_ones() == 1 && *both <= LARGEST) else {
            return 1;
        };
        let of_dividend = self.divisor(a, x, both, depth);
        if of_dividend % by == 0 { gcd(of_dividend / by, most) } else { 1 }
    }
}

/// Returns the largest power of two that divides a number; 1 for 0.
fn power_of_two(n: i128) -> i128 {
    if n == 0 { 1 } else { 1 << n.trailing_zeros().min(60) }
}

#[cfg(test)]
mod tests {
    use super::super::arena::Arena;
    use super::super::interval::Interval;
    use super::super::term::{InputSource, SymKind, TermId, wrap_value};
    use super::KnownDivisors;

    fn number(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(-1000, 1000))
    }

    fn is_multiple(a: &Arena, facts: &[TermId], power: i128, t: TermId) -> bool {
        KnownDivisors::of(a, facts).divides(a, power, t)
    }

    #[test]
    fn products_and_sums_have_the_divisors_of_their_parts() {
        let mut a = Arena::default();
        let (d, i, four) = (number(&mut a, "d"), number(&mut a, "i"), a.int(4));
        let row = a.mul(d, i);
        let bytes = a.scale(row, 4);
        assert!(!is_multiple(&a, &[], 16, bytes));
        let rest = a.rem(d, four);
        let zero = a.int(0);
        let fact = a.eq(rest, zero);
        assert!(is_multiple(&a, &[fact], 16, bytes));
        assert!(!is_multiple(&a, &[fact], 32, bytes));
        let one_more = a.add_const(bytes, 4);
        assert!(!is_multiple(&a, &[fact], 16, one_more) && is_multiple(&a, &[fact], 4, one_more));
    }

    #[test]
    fn quotients_without_remainder_keep_what_is_left() {
        let mut a = Arena::default();
        let d = number(&mut a, "d");
        let (half, scaled) = (a.floor_div(d, 2), a.scale(d, 8));
        assert!(!is_multiple(&a, &[], 2, half));
        let rest = a.modulo(d, 8);
        let zero = a.int(0);
        let fact = a.eq(rest, zero);
        assert!(is_multiple(&a, &[fact], 4, half) && !is_multiple(&a, &[fact], 8, half));
        assert!(is_multiple(&a, &[], 8, scaled));
    }

    #[test]
    fn what_is_known_of_low_bits_holds_of_the_number() {
        let mut a = Arena::default();
        let d = number(&mut a, "d");
        let d = a.scale(d, 1 << 20);
        let d = a.add_const(d, 1 << 40);
        let narrow = a.wrap(d, 8, true);
        assert!(is_multiple(&a, &[], 256, narrow));
        assert_eq!(wrap_value(1 << 20, 8, true), 0);
    }
}
