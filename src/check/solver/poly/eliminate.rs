//! Conditions on some atoms from which a goal follows: the search for a proof, which ends where only these atoms are left instead of at
//! what is known.
//!
//! In: facts, `P >= 0` to be shown, which atoms may stay. Out: polynomials `R` in these such that `R >= 0` and the facts show `P >= 0`.
//! Each step is one of the search: a fact, times what is not negative, cancels a monomial with an atom that may not stay, as
//! Fourier and Motzkin eliminate variables, one at a time and with multipliers. So what comes out is sufficient by its making.

use super::form::{plus, tighten};
use super::search::{Bounds, Target};
use super::store::Store;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, TermId};
use rustc_hash::FxHashSet;

/// Facts subtracted one after the other.
const DEPTH: u32 = 14;
/// Remainders followed from one polynomial.
const BRANCHES: usize = 5;
/// Monomials of one polynomial that are tried first.
const TRIES: usize = 2;

/// Of a relation between several variables: those of types have greater numbers.
pub(crate) const LARGEST: i128 = 1 << 16;

/// What a search for conditions is after.
#[derive(Clone, Copy)]
pub(crate) struct Sought {
    /// Conditions that are wanted.
    pub most: usize,
    /// Bounds of single variables by greater numbers are not used: what follows from the range of a type is true and of no use to anybody.
    pub largest: i128,
}

/// A search for conditions.
struct Elimination<'a> {
    stays: &'a dyn Fn(TermId) -> bool,
    seen: FxHashSet<Poly>,
    found: Vec<Poly>,
    sought: Sought,
}

impl Store {
    /// Conditions `R >= 0`, within the steps left.
    pub(super) fn conditions(
        &mut self,
        arena: &mut Arena,
        p: &Poly,
        stays: &dyn Fn(TermId) -> bool,
        sought: Sought,
    ) -> Vec<Poly> {
        let before = self.constraints.len();
        self.define_atoms(arena, p);
        if self.constraints.len() > before {
            self.define_all(arena);
            self.propagate(arena);
        }
        let mut search = Elimination { stays, seen: FxHashSet::default(), found: vec![], sought };
        let p = self.recombined(p).map_or_else(|| p.clone(), |(whole, _)| whole);
        self.eliminate(arena, tighten(p), DEPTH, &mut search);
        search.found
    }

    fn eliminate(&mut self, arena: &Arena, p: Poly, depth: u32, search: &mut Elimination<'_>) {
        if search.found.len() >= search.sought.most || self.steps == 0 || !search.seen.insert(p.clone()) {
            return;
        }
        self.steps -= 1;
        let foreign: Vec<_> = p
            .terms
            .iter()
            .filter(|(m, _)| m.iter().any(|a| !(search.stays)(*a)))
            .map(|(m, c)| (m.clone(), *c))
            .collect();
        if foreign.is_empty() {
            if !search.found.contains(&p) {
                search.found.push(p);
            }
            return;
        }
        if depth == 0 {
            return;
        }
        let count = |p: &Poly| p.terms.iter().filter(|(m, _)| m.iter().any(|a| !(search.stays)(*a))).count();
        // What weighs most first: its bound often takes the rest along.
        let mut order = foreign;
        order.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.1.cmp(&b.1)).then(a.0.cmp(&b.0)));
        let mut rests: Vec<Poly> = vec![];
        for (m, c) in order.iter().take(TRIES) {
            let mut of_this: Vec<(bool, Poly)> = vec![];
            for k in self.candidates(arena, Target { p: &p, m, c: *c }) {
                let single = k.bounds.single;
                let most = if single { search.sought.largest } else { LARGEST };
                if k.bounds.number.unsigned_abs() > most.unsigned_abs() || Self::puts_extreme(arena, k.bounds, search) {
                    continue;
                }
                if let Some(multiplier) = &k.multiplier
                    && self.nonneg(arena, multiplier, 4).is_none()
                {
                    continue;
                }
                of_this.push((single, k.rest));
            }
            if let Some(whole) = self.times_divisor(&p, m, *c) {
                of_this.push((false, whole));
            }
            // Bounds by other variables say more than bounds by constants.
            of_this.sort_by_key(|(constant, rest)| (count(rest), *constant, rest.terms.len()));
            of_this.truncate(BRANCHES);
            for (_, rest) in of_this {
                if !rests.contains(&rest) {
                    rests.push(rest);
                }
            }
        }
        rests.sort_by_key(|rest| (count(rest), rest.terms.len()));
        for rest in rests {
            self.eliminate(arena, rest, depth - 1, search);
        }
    }

    /// Whether the extreme of its type is put in the place of an atom that may stay: what follows speaks of no value that anybody passes.
    fn puts_extreme(arena: &Arena, bounds: Bounds, search: &Elimination<'_>) -> bool {
        bounds.number != 0 && bounds.atom.is_some_and(|(atom, _)| (search.stays)(atom)) && bounds.is_of_type(arena)
    }

    /// `d·P + d - 1 >= 0` for a quotient by `d` in `P`: see `by_divisor`.
    fn times_divisor(&self, p: &Poly, m: &[TermId], c: i128) -> Option<Poly> {
        let [q] = m else { return None };
        let (d, _) = self.divisors.get(q).filter(|_| c < 0)?;
        p.mul(d).and_then(|dp| dp.add_scaled(d, 1)).and_then(|dp| plus(&dp, -1))
    }
}
