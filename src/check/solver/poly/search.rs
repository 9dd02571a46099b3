//! Search for a proof of `P >= 0`.
//!
//! Intervals decide where the least value of P suffices. Otherwise a fact must cancel the monomial with the most
//! negative contribution: for a fact `F >= 0` and a multiplier `M >= 0`, `P >= 0` follows from `s·P - M·F >= 0` (s >
//! 0). This generalises "replace an atom by its extreme" to bounds that are polynomials in other atoms, and to
//! products of facts.

use super::form::{
    FactIndices, cofactor, common, divide, mul_ranges, power, product, quotient, scaled, subtract, tighten, union,
};
use super::store::{ConstraintStore, PolyConstraint};
use base::polynomial::gcd;
use base::work::{charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Monomial, Poly, Term, TermId};
use rustc_hash::FxHashMap;

/// Most facts subtracted in sequence.
pub(super) const DEPTH: u32 = 12;
/// Most monomials of a remainder that is followed.
const MAX_MONOMIALS: usize = 48;
/// Most remainders followed from one polynomial.
const MAX_BRANCHES: usize = 12;

/// Results of earlier searches with the same facts.
#[derive(Default, Clone)]
pub(super) struct Memo {
    proved: FxHashMap<Poly, FactIndices>,
    /// Depth at which the search failed.
    failed: FxHashMap<Poly, u32>,
}

impl Memo {
    pub fn clear_failures(&mut self) {
        self.failed.clear();
    }
}

/// Shape of the bound that a fact gives.
#[derive(Clone, Copy, Default)]
pub(super) struct BoundShape {
    /// Whether the fact has a single monomial.
    pub single: bool,
    /// The atom, where the fact bounds one alone; `true`: from below.
    pub atom: Option<(TermId, bool)>,
    /// Constant of the fact.
    pub number: i128,
}

impl BoundShape {
    fn of(p: &Poly) -> Self {
        let mut monomials = p.terms.iter().filter(|(m, _)| !m.is_empty());
        let (first, single) = (monomials.next(), monomials.next().is_none());
        let atom = match first {
            Some((m, c @ (1 | -1))) if single && m.len() == 1 => Some((m[0], *c == 1)),
            _ => None,
        };
        Self { single, atom, number: p.constant() }
    }

    /// Whether the bound is implied by the range of its atom's type.
    pub fn is_of_type(self, arena: &Arena) -> bool {
        self.atom.is_some_and(|(atom, below)| {
            let range = arena.range(atom);
            let of_type = if below { range.lo.map(|lo| -lo) } else { range.hi };
            of_type.is_some_and(|n| n <= self.number)
        })
    }
}

/// The monomial `c·m` of `p` that is to be cancelled.
#[derive(Clone, Copy)]
pub(super) struct CancelledMonomial<'a> {
    pub p: &'a Poly,
    pub m: &'a Monomial,
    pub c: i128,
}

/// A polynomial that remains to be shown non-negative, and the facts of the step to it.
pub(super) struct Subgoal {
    pub rest: Poly,
    used: FactIndices,
    /// Multiplier that must be non-negative for the step to be valid.
    pub multiplier: Option<Poly>,
    bad: usize,
    /// Shape of the bound that the fact gives.
    pub bounds: BoundShape,
}

impl ConstraintStore {
    /// Returns facts that show `p >= 0`; `None` if the remaining steps find none.
    pub(super) fn nonneg(&mut self, arena: &Arena, p: &Poly, depth: u32) -> Option<FactIndices> {
        let p = tighten(p.clone());
        if let Some(used) = self.nonneg_by_ranges(arena, &p) {
            return Some(used);
        }
        if let Some(used) = self.memo.proved.get(&p) {
            return Some(used.clone());
        }
        if depth == 0 || self.steps == 0 || self.memo.failed.get(&p).is_some_and(|d| *d >= depth) {
            return None;
        }
        self.steps -= 1;
        // Also cuts cycles: a polynomial counts as failed while it is being tried.
        self.memo.failed.insert(p.clone(), depth);
        let found = self
            .by_recombination(arena, &p, depth)
            .or_else(|| self.by_common_factor(arena, &p, depth))
            .or_else(|| self.by_floor(arena, &p, depth))
            .or_else(|| self.by_divisor(arena, &p, depth))
            .or_else(|| self.by_facts(arena, &p, depth));
        if let Some(used) = &found {
            self.memo.failed.remove(&p);
            self.memo.proved.insert(p, used.clone());
        }
        found
    }

    /// Runs [`ConstraintStore::nonneg`] with at most `steps` of the remaining steps.
    pub(super) fn nonneg_within(&mut self, arena: &Arena, p: &Poly, depth: u32, steps: u32) -> Option<FactIndices> {
        let kept = self.steps.saturating_sub(steps);
        self.steps -= kept;
        let found = self.nonneg(arena, p, depth);
        self.steps += kept;
        found
    }

    /// Shows `g·q >= 0` from `g >= 0` and `q >= 0`, or from both opposites.
    fn by_common_factor(&mut self, arena: &Arena, p: &Poly, depth: u32) -> Option<FactIndices> {
        let g = common(p);
        if g.is_empty() {
            return None;
        }
        let sign = self.sign(arena, &g)?;
        let q = quotient(p, &g)?;
        let q = if sign { q } else { scaled(&q, -1)? };
        let rest = self.nonneg(arena, &q, depth - 1)?;
        Some(union(&rest, &self.range_facts(&g)))
    }

    pub(super) fn by_facts(&mut self, arena: &Arena, p: &Poly, depth: u32) -> Option<FactIndices> {
        if depth == 0 || self.steps == 0 {
            return None;
        }
        // The worst monomial first; the next where the search fails to cancel it.
        let bad = self.bad_monomials(arena, p);
        let tries = if depth + 3 > DEPTH { 3 } else { 1 };
        for (m, c) in bad.into_iter().take(tries) {
            let mut candidates = self.candidates(arena, CancelledMonomial { p, m: &m, c });
            candidates.sort_by_key(|k| (k.bad, k.rest.terms.len()));
            candidates.truncate(MAX_BRANCHES);
            for k in candidates {
                let mut used = k.used;
                if let Some(m) = &k.multiplier {
                    let Some(more) = self.nonneg(arena, m, depth.min(5) - 1) else { continue };
                    used = union(&used, &more);
                }
                if let Some(rest) = self.nonneg(arena, &k.rest, depth - 1) {
                    return Some(union(&used, &rest));
                }
            }
        }
        None
    }

    /// Returns monomials whose least value is negative, the worst first, the constant last.
    fn bad_monomials(&self, arena: &Arena, p: &Poly) -> Vec<(Monomial, i128)> {
        let mut v: Vec<(i128, (Monomial, i128))> = p
            .terms
            .iter()
            .filter_map(|(m, c)| {
                if m.is_empty() {
                    return (*c < 0).then(|| (1, (m.clone(), *c)));
                }
                let least = self.monomial_range(arena, m).scale(*c).lo.unwrap_or(i128::MIN);
                (least < 0).then(|| (least, (m.clone(), *c)))
            })
            .collect();
        v.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.0.len().cmp(&a.1.0.len())).then(b.1.0.cmp(&a.1.0)));
        v.into_iter().map(|x| x.1).collect()
    }

    /// Returns the remainders after cancellation by each applicable fact.
    pub(super) fn candidates(&self, arena: &Arena, target: CancelledMonomial) -> Vec<Subgoal> {
        let mut out: Vec<Subgoal> = vec![];
        for k in &self.constraints {
            let before = out.len();
            self.cancel_with(arena, target, k, false, &mut out);
            let bounds = BoundShape::of(&k.p);
            out[before..].iter_mut().for_each(|c| c.bounds = bounds);
        }
        // Constant bounds of the target's atoms.
        let mut atoms: Vec<TermId> = target.p.terms.iter().flat_map(|(m, _)| m.iter().copied()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        for x in atoms {
            let r = self.atom_range(arena, x);
            let one: Monomial = smallvec::smallvec![x];
            let bounds = [r.lo.map(|lo| (1, lo.checked_neg(), true)), r.hi.map(|hi| (-1, Some(hi), false))];
            for (k, constant, lower) in bounds.into_iter().flatten() {
                let Some(constant) = constant else { continue };
                let mut f = Poly { terms: vec![] };
                if constant != 0 {
                    f.terms.push((Monomial::new(), constant));
                }
                f.terms.push((one.clone(), k));
                let used = self.bound_facts(&one, lower);
                let before = out.len();
                self.cancel_with(arena, target, &PolyConstraint { p: f, equality: false, used }, true, &mut out);
                let bounds = BoundShape { single: true, atom: Some((x, lower)), number: constant };
                out[before..].iter_mut().for_each(|c| c.bounds = bounds);
            }
        }
        out
    }

    fn cancel_with(
        &self,
        arena: &Arena,
        target: CancelledMonomial,
        k: &PolyConstraint,
        constant: bool,
        out: &mut Vec<Subgoal>,
    ) {
        let CancelledMonomial { p, m, c } = target;
        charge_each(cost::CANCEL, k.p.terms.len());
        for (mf, cf) in &k.p.terms {
            let Some(q) = divide(m, mf) else { continue };
            if mf.is_empty() && !(q.is_empty() || Self::meets(p, &k.p, &q, (c > 0) == (*cf > 0))) {
                continue;
            }
            // Multiplier t·q of the fact, with the sign that cancels.
            let same = (c > 0) == (*cf > 0);
            let admissible = if k.equality {
                Some(FactIndices::new())
            } else if q.is_empty() {
                same.then(FactIndices::new)
            } else {
                self.sign(arena, &q).filter(|s| *s == same).map(|_| self.range_facts(&q))
            };
            if let Some(sign_used) = admissible {
                let g = gcd(c, *cf);
                let (s, t) = ((cf / g).abs(), if same { (c / g).abs() } else { -(c / g).abs() });
                if let Some(rest) = subtract(p, s, &k.p, &Poly::of(q, t)) {
                    self.push(arena, out, rest, union(&k.used, &sign_used), None, constant);
                }
            }
            // Cancel the whole cofactor of an atom at once.
            if let [x] = mf.as_slice()
                && let Some(cof) = cofactor(p, *x)
                && cof.terms.len() > 1
                && k.p.terms.iter().filter(|(m, _)| m.contains(x)).count() == 1
            {
                let g = cof.terms.iter().fold(*cf, |g, (_, c)| gcd(g, *c));
                let g = if *cf < 0 { -g } else { g };
                let mult = Poly { terms: cof.terms.iter().map(|(m, c)| (m.clone(), c / g)).collect() };
                if let Some(rest) = subtract(p, cf / g, &k.p, &mult) {
                    self.push(arena, out, rest, k.used.clone(), (!k.equality).then_some(mult), constant);
                }
            }
        }
    }

    /// Whether `q·F` has a monomial that helps: one that `p` has with a coefficient of the same sign.
    fn meets(p: &Poly, f: &Poly, q: &Monomial, positive: bool) -> bool {
        f.terms.iter().any(|(m, cf)| {
            !m.is_empty() && {
                let m = product(m, q);
                p.terms.binary_search_by(|t| t.0.cmp(&m)).is_ok_and(|i| (p.terms[i].1 > 0) == ((*cf > 0) == positive))
            }
        })
    }

    fn push(
        &self,
        arena: &Arena,
        out: &mut Vec<Subgoal>,
        rest: Poly,
        used: FactIndices,
        multiplier: Option<Poly>,
        constant: bool,
    ) {
        let rest = tighten(rest);
        let refuted = |p: &Poly| self.samples.iter().any(|s| s.poly(p).is_some_and(|v| v < 0));
        if rest.terms.len() > MAX_MONOMIALS
            || refuted(&rest)
            || multiplier.as_ref().is_some_and(refuted)
            || out.iter().any(|k| k.rest == rest && k.multiplier == multiplier)
        {
            return;
        }
        let negative = |(m, c): &(Monomial, i128)| {
            if m.is_empty() { *c < 0 } else { self.monomial_range(arena, m).scale(*c).lo.is_none_or(|v| v < 0) }
        };
        let bad = rest.terms.iter().filter(|t| negative(t)).count() + usize::from(constant);
        out.push(Subgoal { rest, used, multiplier, bad, bounds: BoundShape::default() });
    }

    // ---- bounds by intervals ----

    pub(super) fn atom_range(&self, arena: &Arena, t: TermId) -> Interval {
        let known = self.bounds.get(std::slice::from_ref(&t)).map_or(Interval::ANY, super::store::MonomialBound::range);
        arena.range(t).intersect(known)
    }

    pub(super) fn monomial_range(&self, arena: &Arena, m: &[TermId]) -> Interval {
        if let [a] = m {
            return self.atom_range(arena, *a);
        }
        let mut r = Interval::point(1);
        let mut i = 0;
        while i < m.len() {
            let n = m[i..].iter().take_while(|a| **a == m[i]).count();
            r = mul_ranges(r, power(self.atom_range(arena, m[i]), n));
            i += n;
        }
        if m.len() > 1
            && let Some(b) = self.bounds.get(m)
        {
            r = r.intersect(b.range());
        }
        r
    }

    /// Returns the facts behind the range of a monomial.
    pub(super) fn range_facts(&self, m: &[TermId]) -> FactIndices {
        let mut used = union(&self.bound_facts(m, true), &self.bound_facts(m, false));
        if m.len() > 1 {
            for a in m {
                let one = std::slice::from_ref(a);
                used = union(&used, &union(&self.bound_facts(one, true), &self.bound_facts(one, false)));
            }
        }
        used
    }

    pub(super) fn bound_facts(&self, m: &[TermId], lower: bool) -> FactIndices {
        let Some(b) = self.bounds.get(m) else { return FactIndices::new() };
        (if lower { b.lo.as_ref() } else { b.hi.as_ref() }).map_or_else(FactIndices::new, |x| x.1.clone())
    }

    pub(super) fn poly_range(&self, arena: &Arena, p: &Poly) -> Interval {
        p.terms.iter().fold(Interval::point(0), |sum, (m, c)| sum.add(self.monomial_range(arena, m).scale(*c)))
    }

    /// Returns bounds of a term under the facts, where nothing wraps; looks through `depth` nested quotients, remainders
    /// and choices.
    pub(super) fn term_range(&self, arena: &Arena, t: TermId, depth: u32) -> Interval {
        let known = arena.range(t);
        if depth == 0 {
            return known;
        }
        let inside = |t: TermId| self.term_range(arena, t, depth - 1);
        let of_quotient = |x: Interval, by: i128| {
            // Truncated and rounded down, a quotient grows with its numerator.
            let end = |v: Option<i128>| v.map(|v| if v < 0 { v.div_euclid(by) } else { v / by });
            Interval { lo: end(x.lo), hi: x.hi.map(|v| v.max(0) / by) }
        };
        let found = match *arena.get(t) {
            Term::Wrap { arg, .. } => inside(arg),
            Term::FloorDiv(x, by) if by > 0 => of_quotient(inside(x), by),
            Term::Div(x, y) => match arena.as_int(y) {
                Some(by) if by > 0 => of_quotient(inside(x), by),
                _ => Interval::ANY,
            },
            Term::Ite(_, x, y) => inside(x).union(inside(y)),
            Term::Poly(_) => arena.poly(t).terms.iter().fold(Interval::point(0), |sum, (m, c)| {
                let product = m.iter().fold(Interval::point(1), |all, atom| mul_ranges(all, inside(*atom)));
                sum.add(product.intersect(self.monomial_range(arena, m)).scale(*c))
            }),
            _ => Interval::ANY,
        };
        let known = known.intersect(found);
        if matches!(arena.get(t), Term::Poly(_)) { known } else { known.intersect(self.atom_range(arena, t)) }
    }

    fn nonneg_by_ranges(&self, arena: &Arena, p: &Poly) -> Option<FactIndices> {
        let mut sum = 0i128;
        for (m, c) in &p.terms {
            sum = sum.checked_add(self.monomial_range(arena, m).scale(*c).lo?)?;
        }
        if sum < 0 {
            return None;
        }
        let mut used = FactIndices::new();
        for (m, c) in &p.terms {
            // A monomial of one atom needs only one end of its range.
            let facts = if m.len() == 1 { self.bound_facts(m, *c > 0) } else { self.range_facts(m) };
            used = union(&used, &facts);
        }
        Some(used)
    }

    /// Returns the sign of a monomial: `true` if it is never negative, `false` if never positive.
    pub(super) fn sign(&self, arena: &Arena, m: &[TermId]) -> Option<bool> {
        let r = self.monomial_range(arena, m);
        if r.lo.is_some_and(|v| v >= 0) { Some(true) } else { r.hi.is_some_and(|v| v <= 0).then_some(false) }
    }
}
