//! Sufficient conditions on some atoms for a goal: the proof search, ended where only these atoms remain instead of
//! at known facts.
//!
//! In: facts, `P >= 0` to be shown, and the atoms that may stay. Out: polynomials `R` in these atoms such that `R >=
//! 0` and the facts imply `P >= 0`. Each step is one of the search: a fact, times a non-negative multiplier, cancels
//! a monomial with an atom that may not stay. This is Fourier–Motzkin elimination, one variable at a time and with
//! multipliers. So every result is sufficient by construction.

use super::form::{plus, tighten};
use super::search::{BoundShape, CancelledMonomial};
use super::store::ConstraintStore;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, TermId};
use rustc_hash::FxHashSet;

/// Most facts subtracted in sequence.
const DEPTH: u32 = 14;
/// Remainders followed from one polynomial.
const BRANCHES: usize = 5;
/// Monomials of one polynomial that are tried first.
const TRIES: usize = 2;

/// Largest constant in a relation between several variables; bounds that come from types have larger ones.
pub(crate) const LARGEST: i128 = 1 << 16;

/// Goals of a search for conditions.
#[derive(Clone, Copy)]
pub(crate) struct ConditionGoals {
    /// Number of conditions that are wanted.
    pub most: usize,
    /// Largest constant in bounds of single variables that the search uses: a consequence of a type's range is true
    /// and useless.
    pub largest: i128,
}

/// State of a search for conditions.
struct Elimination<'a> {
    stays: &'a dyn Fn(TermId) -> bool,
    seen: FxHashSet<Poly>,
    found: Vec<Poly>,
    sought: ConditionGoals,
}

impl ConstraintStore {
    /// Returns conditions `R >= 0`, found within the remaining steps.
    pub(super) fn conditions(
        &mut self,
        arena: &mut Arena,
        p: &Poly,
        stays: &dyn Fn(TermId) -> bool,
        sought: ConditionGoals,
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
        // The largest monomials first: their bounds often cancel others too.
        let mut order = foreign;
        order.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.1.cmp(&b.1)).then(a.0.cmp(&b.0)));
        let mut rests: Vec<Poly> = vec![];
        for (m, c) in order.iter().take(TRIES) {
            let mut of_this: Vec<(bool, Poly)> = vec![];
            for k in self.candidates(arena, CancelledMonomial { p: &p, m, c: *c }) {
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
            // Bounds by other variables are stronger than bounds by constants.
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

    /// Whether the step replaces an atom that may stay by the extreme of its type: the result would concern values
    /// that nobody passes.
    fn puts_extreme(arena: &Arena, bounds: BoundShape, search: &Elimination<'_>) -> bool {
        bounds.number != 0 && bounds.atom.is_some_and(|(atom, _)| (search.stays)(atom)) && bounds.is_of_type(arena)
    }

    /// Returns `d·P + d - 1` for a quotient by `d` in `P`; see `by_divisor`.
    fn times_divisor(&self, p: &Poly, m: &[TermId], c: i128) -> Option<Poly> {
        let [q] = m else { return None };
        let (d, _) = self.divisors.get(q).filter(|_| c < 0)?;
        p.mul(d).and_then(|dp| dp.add_scaled(d, 1)).and_then(|dp| plus(&dp, -1))
    }
}
