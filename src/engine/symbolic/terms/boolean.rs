//! Comparisons and connectives: `t <= 0`, `t == 0`, and flattened, sorted conjunctions and disjunctions.

use super::arena::Arena;
use super::term::{Poly, Term, TermId};
use base::work::{charge_each, cost};

impl Arena {
    /// Comparison `t <= 0`.
    pub fn le_zero(&mut self, t: TermId) -> TermId {
        let r = self.range(t);
        if r.hi.is_some_and(|v| v <= 0) {
            return self.bool(true);
        }
        if r.lo.is_some_and(|v| v > 0) {
            return self.bool(false);
        }
        // Divide by the greatest common divisor of the coefficients, rounding the constant up.
        let p = self.poly(t);
        let g = p.common_divisor();
        if g > 1 {
            let q = Poly {
                terms: p
                    .terms
                    .iter()
                    .filter_map(|(m, c)| {
                        // Σ g·x + k <= 0  ⇔  Σ x + ceil(k / g) <= 0
                        let v = if m.is_empty() { -((-c).div_euclid(g)) } else { c / g };
                        (v != 0).then(|| (m.clone(), v))
                    })
                    .collect(),
            };
            let t = self.from_poly(q);
            return self.intern(Term::Le(t));
        }
        self.intern(Term::Le(t))
    }

    // ---- booleans ----
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let t = self.sub(a, b);
        self.le_zero(t)
    }

    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let t = self.sub(a, b);
        let t = self.add_const(t, 1);
        self.le_zero(t)
    }

    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        // An if-then-else of constants compared with a constant is its condition, its negation or decided.
        for (i, k) in [(a, b), (b, a)] {
            if let (Term::Ite(c, x, y), Some(k)) = (self.get(i), self.as_int(k)) {
                let (c, x, y) = (*c, *x, *y);
                if let (Some(x), Some(y)) = (self.as_int(x), self.as_int(y)) {
                    return match (x == k, y == k) {
                        (true, true) => self.bool(true),
                        (false, false) => self.bool(false),
                        (true, false) => c,
                        (false, true) => self.not(c),
                    };
                }
            }
        }
        let mut t = self.sub(a, b);
        // Canonical sign.
        if let Term::Poly(p) = self.get(t)
            && p.terms.iter().find(|(m, _)| !m.is_empty()).is_some_and(|(_, c)| *c < 0)
        {
            t = self.neg(t);
        }
        if let Some(v) = self.as_int(t) {
            return self.bool(v == 0);
        }
        if !self.range(t).contains_value(0) {
            return self.bool(false);
        }
        self.intern(Term::EqZ(t))
    }

    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let e = self.eq(a, b);
        self.not(e)
    }

    pub fn not(&mut self, c: TermId) -> TermId {
        if let Some(n) = self.negations.get(&c) {
            return *n;
        }
        let n = self.negate(c);
        self.negations.insert(c, n);
        n
    }

    pub(super) fn negate(&mut self, c: TermId) -> TermId {
        match self.get(c) {
            Term::True => self.bool(false),
            Term::False => self.bool(true),
            Term::Not(x) => *x,
            // !(t <= 0)  ⇔  1 - t <= 0
            Term::Le(t) => {
                let t = *t;
                let n = self.neg(t);
                let n = self.add_const(n, 1);
                self.le_zero(n)
            }
            Term::And(v) => {
                let v = v.clone();
                let n: Vec<_> = v.into_iter().map(|x| self.not(x)).collect();
                self.or_all(n)
            }
            Term::Or(v) => {
                let v = v.clone();
                let n: Vec<_> = v.into_iter().map(|x| self.not(x)).collect();
                self.and_all(n)
            }
            _ => self.intern(Term::Not(c)),
        }
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        // The common case of one additional conjunct.
        for (list, one) in [(a, b), (b, a)] {
            if matches!(self.get(one), Term::And(_) | Term::True | Term::False) {
                continue;
            }
            let n = self.not(one);
            let Term::And(v) = self.get(list) else { continue };
            if v.binary_search(&n).is_ok() {
                return self.bool(false);
            }
            match v.binary_search(&one) {
                Ok(_) => return list,
                Err(at) => {
                    let mut v = v.clone();
                    v.insert(at, one);
                    return self.intern(Term::And(v));
                }
            }
        }
        self.and_all(vec![a, b])
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.or_all(vec![a, b])
    }

    pub fn and_all(&mut self, v: Vec<TermId>) -> TermId {
        let mut out: Vec<TermId> = Vec::with_capacity(v.len());
        for t in v {
            match self.get(t) {
                Term::True => {}
                Term::False => return t,
                Term::And(inner) => out.extend(inner.iter().copied()),
                _ => out.push(t),
            }
        }
        out.sort_unstable();
        out.dedup();
        charge_each(cost::OPERAND, out.len());
        for &t in &out {
            let n = self.not(t);
            if out.binary_search(&n).is_ok() {
                return self.bool(false);
            }
        }
        match out.as_slice() {
            [] => self.bool(true),
            [t] => *t,
            _ => self.intern(Term::And(out)),
        }
    }

    pub fn or_all(&mut self, v: Vec<TermId>) -> TermId {
        let mut out: Vec<TermId> = Vec::with_capacity(v.len());
        for t in v {
            match self.get(t) {
                Term::False => {}
                Term::True => return t,
                Term::Or(inner) => out.extend(inner.iter().copied()),
                _ => out.push(t),
            }
        }
        out.sort_unstable();
        out.dedup();
        charge_each(cost::OPERAND, out.len());
        // x ∨ ¬x; and factoring: (p ∧ a) ∨ (p ∧ ¬a) = p, as joins after a branch need.
        let mut negations = Vec::with_capacity(out.len());
        for &t in &out {
            if matches!(self.get(t), Term::And(_)) {
                continue;
            }
            let n = self.not(t);
            if out.binary_search(&n).is_ok() {
                return self.bool(true);
            }
            negations.push(n);
        }
        negations.sort_unstable();
        // (a ∧ b) ∨ ¬a = b ∨ ¬a
        let mut shorter = vec![];
        for i in 0..out.len() {
            let Some(kept) = self.without_negated(out[i], &out, &negations) else { continue };
            let new = self.and_all(kept);
            if !matches!(self.get(new), Term::And(_)) {
                // Another literal may shorten the other conjunctions, too.
                out[i] = new;
                shorter.into_iter().for_each(|(i, new)| out[i] = new);
                return self.or_all(out);
            }
            shorter.push((i, new));
        }
        if !shorter.is_empty() {
            shorter.into_iter().for_each(|(i, new)| out[i] = new);
            out.sort_unstable();
            out.dedup();
        }
        if out.len() == 2
            && let Some(t) = self.factor(out[0], out[1])
        {
            return t;
        }
        match out.as_slice() {
            [] => self.bool(false),
            [t] => *t,
            _ => self.intern(Term::Or(out)),
        }
    }

    /// Returns the conjuncts of a conjunction without those whose negation is another disjunct; `None` without such.
    /// `negations`: the sorted negations of the disjuncts that are no conjunctions.
    fn without_negated(&mut self, t: TermId, disjuncts: &[TermId], negations: &[TermId]) -> Option<Vec<TermId>> {
        let Term::And(v) = self.get(t) else { return None };
        let (short, long) = if v.len() < negations.len() { (&v[..], negations) } else { (negations, &v[..]) };
        let mut negated: Vec<TermId> = short.iter().copied().filter(|x| long.binary_search(x).is_ok()).collect();
        charge_each(cost::OPERAND, v.len());
        // Only a disjunction is the negation of a conjunction.
        let nested: Vec<TermId> = v.iter().copied().filter(|x| matches!(self.get(*x), Term::Or(_))).collect();
        for x in nested {
            let n = self.not(x);
            if disjuncts.binary_search(&n).is_ok() {
                negated.push(x);
            }
        }
        let Term::And(v) = self.get(t) else { return None };
        (!negated.is_empty()).then(|| v.iter().copied().filter(|x| !negated.contains(x)).collect())
    }

    /// Rewrites `(p ∧ a) ∨ (p ∧ b)` as `p ∧ (a ∨ b)`.
    pub(super) fn factor(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (common, ra, rb) = self.split_common(a, b);
        if common.is_empty() {
            return None;
        }
        let rest = self.or_all(vec![ra, rb]);
        let mut all = common;
        all.push(rest);
        Some(self.and_all(all))
    }

    /// Whether a condition states a bound `x + c <= 0`, or a stricter one for the same `x`, in every case that it
    /// distinguishes. Nothing is computed: a bound that follows from several conditions is not found.
    pub fn bounds_at_least(&mut self, condition: TermId, bound: TermId) -> bool {
        if condition == bound {
            return true;
        }
        match self.get(condition) {
            Term::And(all) => all.clone().into_iter().any(|c| self.bounds_at_least(c, bound)),
            Term::Or(cases) => cases.clone().into_iter().all(|c| self.bounds_at_least(c, bound)),
            Term::Le(t) => {
                let t = *t;
                let Term::Le(wanted) = *self.get(bound) else { return false };
                let ((of, constant), (of_wanted, least)) = (self.apart(t), self.apart(wanted));
                of == of_wanted && constant >= least
            }
            _ => false,
        }
    }

    /// Conjuncts of a boolean term.
    #[must_use]
    pub fn conjuncts(&self, t: TermId) -> Vec<TermId> {
        match self.get(t) {
            Term::And(v) => v.clone(),
            Term::True => vec![],
            _ => vec![t],
        }
    }

    /// Common conjuncts of both, and the rest of each.
    pub fn split_common(&mut self, a: TermId, b: TermId) -> (Vec<TermId>, TermId, TermId) {
        let (va, vb) = (self.conjuncts(a), self.conjuncts(b));
        let common: Vec<_> = va.iter().copied().filter(|t| vb.binary_search(t).is_ok()).collect();
        let ra: Vec<_> = va.into_iter().filter(|t| common.binary_search(t).is_err()).collect();
        let rb: Vec<_> = vb.into_iter().filter(|t| common.binary_search(t).is_err()).collect();
        let (ra, rb) = (self.and_all(ra), self.and_all(rb));
        (common, ra, rb)
    }
}

#[cfg(test)]
mod tests {
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::{SymKind, Term, TermId};
    use base::reasons::UnknownReason;

    /// Number of the conditions from which formulas are built.
    const CONDITIONS: usize = 6;

    /// A formula and its value under each assignment to three truth values and one number.
    type Formula = (TermId, [bool; 32]);

    /// The next number of a fixed sequence, below `n` (Knuth's MMIX generator).
    fn below(state: &mut u64, n: usize) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap() % n
    }

    #[test]
    fn conditions_keep_their_values() {
        let mut arena = Arena::new();
        let unknown = || SymKind::Unknown { reason: UnknownReason::NoValue };
        let bools = ["p", "q", "r"].map(|n| arena.fresh_bool(unknown(), n));
        let number = arena.fresh(unknown(), "n", Interval::new(0, 3));
        // Values by assignment: three bits, and a number of two.
        let table = |value: &dyn Fn(usize) -> bool| std::array::from_fn(value);
        let mut conditions: Vec<Formula> =
            bools.iter().enumerate().map(|(i, t)| (*t, table(&|row| (row >> i) & 1 == 1))).collect();
        for least in 1..=3 {
            let bound = arena.int(i128::try_from(least).unwrap());
            conditions.push((arena.le(bound, number), table(&|row| row >> 3 >= least)));
        }
        assert_eq!(conditions.len(), CONDITIONS);
        let mut state = 1;
        for round in 0..2_000 {
            // Operations on a stack of formulas.
            let mut open: Vec<Formula> = (0..12).map(|_| conditions[below(&mut state, CONDITIONS)]).collect();
            while open.len() > 1 {
                let operands: Vec<Formula> = (0..2 + below(&mut state, 3)).filter_map(|_| open.pop()).collect();
                let operands: Vec<Formula> = operands
                    .into_iter()
                    .map(|(t, v)| if below(&mut state, 2) == 0 { (t, v) } else { (arena.not(t), v.map(|b| !b)) })
                    .collect();
                let terms = operands.iter().map(|(t, _)| *t).collect();
                let all = below(&mut state, 2) == 0;
                let new = if all { arena.and_all(terms) } else { arena.or_all(terms) };
                let values = std::array::from_fn(|row| {
                    if all { operands.iter().all(|(_, v)| v[row]) } else { operands.iter().any(|(_, v)| v[row]) }
                });
                let at = below(&mut state, open.len() + 1);
                open.insert(at, (new, values));
            }
            let (formula, values) = open[0];
            for (row, value) in values.into_iter().enumerate() {
                let of = |s| {
                    let bit = bools.iter().position(|t| *arena.get(*t) == Term::BoolSym(s));
                    Some(i128::try_from(bit.map_or(row >> 3, |i| (row >> i) & 1)).unwrap())
                };
                assert_eq!(arena.eval(formula, &of), Some(i128::from(value)), "{round}: {row}");
            }
        }
    }

    #[test]
    fn a_bound_is_stated_by_stricter_ones_in_every_case() {
        let mut a = Arena::new();
        let unknown = || SymKind::Unknown { reason: UnknownReason::NoValue };
        let [x, y] = ["x", "y"].map(|name| a.fresh(unknown(), name, Interval::ANY));
        let mut at_most = |t: TermId, most: i128| {
            let most = a.int(most);
            a.le(t, most)
        };
        let [bound, stricter, weaker, other] = [(x, 31), (x, 3), (x, 32), (y, 3)].map(|(t, most)| at_most(t, most));
        let no_bound = a.not(stricter);
        for (condition, states) in
            [(bound, true), (stricter, true), (weaker, false), (other, false), (no_bound, false), (a.bool(true), false)]
        {
            assert_eq!(a.bounds_at_least(condition, bound), states);
            let both = a.and(condition, other);
            assert_eq!(a.bounds_at_least(both, bound), states);
            let with_stricter = a.or(condition, stricter);
            assert_eq!(a.bounds_at_least(with_stricter, bound), states);
            let with_other = a.or(condition, other);
            assert!(!a.bounds_at_least(with_other, bound));
        }
        assert!(!a.bounds_at_least(bound, other));
    }
}
