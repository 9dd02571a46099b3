//! Consequences of disjunctions and disequalities without case splits.
//!
//! In: a [`ConstraintStore`] whose other literals are read. Out: members that the facts exclude are removed, a single remaining
//! member becomes a fact, and bounds that every member implies become constraints (as a join of abstract values would
//! keep them).

use super::form::{FactIndices, plus, scaled, tighten, union};
use super::search::Memo;
use super::store::{ConstraintStore, Literal};
use base::polynomial::gcd;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, Term, TermId};
use smallvec::SmallVec;

impl ConstraintStore {
    /// Settles disequalities with a known sign, and disjunctions with one member left.
    pub fn settle(&mut self, arena: &mut Arena, unequal: Vec<(Poly, FactIndices)>) {
        let mut changed = false;
        for (p, used) in unequal {
            let Some(n) = scaled(&p, -1) else { continue };
            let known =
                [&p, &n].into_iter().find_map(|side| Some((plus(side, -1)?, self.nonneg_within(arena, side, 3, 10)?)));
            if let Some((strict, known)) = known {
                self.add_constraint(tighten(strict), false, union(&used, &known));
                changed = true;
            } else {
                let (a, b) = (arena.from_poly(p), arena.from_poly(n));
                let (a, b) = (arena.add_const(a, 1), arena.add_const(b, 1));
                let both = vec![arena.le_zero(a), arena.le_zero(b)];
                self.disjunctions.push((both, used));
            }
        }
        let mut left = std::mem::take(&mut self.disjunctions);
        let mut i = 0;
        while i < left.len() {
            let (members, used) = &mut left[i];
            members.retain(|m| match self.falsified(arena, *m) {
                Some(u) => {
                    *used = union(used, &u);
                    false
                }
                None => true,
            });
            match members.as_slice() {
                [] => {
                    let used = used.clone();
                    self.contradict(used);
                    left.swap_remove(i);
                }
                [one] => {
                    let (one, used) = (*one, used.clone());
                    left.swap_remove(i);
                    for (t, used) in self.read_members(arena, one, &used) {
                        let mut more = vec![];
                        self.literals.push((t, used.clone()));
                        self.add_literal(arena, t, &used, &mut more);
                    }
                    changed = true;
                }
                _ => i += 1,
            }
        }
        for (members, used) in &left {
            changed |= self.weaken(arena, members, used);
        }
        self.disjunctions.append(&mut left);
        if changed {
            self.define_all(arena);
            self.propagate(arena);
            self.memo = Memo::default();
        }
    }

    /// Adds consequences of a disjunction that hold for every member: for each form `a <= 0` of one member, the bound
    /// `a <= c` that the other members imply too. Closed forms of loops come as `i <= n || i <= 0`.
    fn weaken(&mut self, arena: &Arena, members: &[TermId], used: &FactIndices) -> bool {
        const MAX_FORMS: usize = 6;
        let forms = |t: TermId| -> Vec<Poly> {
            let conjuncts = match arena.get(t) {
                Term::And(v) => v.clone(),
                _ => vec![t],
            };
            conjuncts
                .into_iter()
                .flat_map(|c| match arena.get(c) {
                    Term::Le(a) => vec![arena.poly(*a)],
                    Term::EqZ(a) => {
                        let p = arena.poly(*a);
                        scaled(&p, -1).into_iter().chain([p]).collect()
                    }
                    _ => vec![],
                })
                .take(MAX_FORMS)
                .collect()
        };
        let all: Vec<Vec<Poly>> = members.iter().map(|m| forms(*m)).collect();
        let before = self.constraints.len();
        for (i, own) in all.iter().enumerate() {
            for a in own {
                let mut most = Some(0i128);
                let mut facts = used.clone();
                for (_, others) in all.iter().enumerate().filter(|(j, _)| *j != i) {
                    // a = (a - b) + b <= (a - b) where b <= 0.
                    let best = others
                        .iter()
                        .filter_map(|b| a.add_scaled(b, -1))
                        .filter_map(|d| self.poly_range(arena, &d).hi.map(|h| (h, d)))
                        .min_by_key(|(h, _)| *h);
                    // Alternatively a <= λ·b by the other facts, for a λ that cancels a monomial.
                    if best.as_ref().is_none_or(|(h, _)| *h > 0)
                        && let Some(u) = others.iter().find_map(|b| self.bounded_by(arena, a, b))
                    {
                        facts = union(&facts, &u);
                        continue;
                    }
                    match best {
                        Some((h, d)) => {
                            most = most.map(|m| m.max(h));
                            facts = union(&facts, &self.poly_facts(&d));
                        }
                        None => most = None,
                    }
                }
                let Some(most) = most else { continue };
                if self.poly_range(arena, a).hi.is_some_and(|h| h <= most) {
                    continue;
                }
                if let Some(p) = scaled(a, -1).and_then(|n| plus(&n, most)) {
                    self.add_constraint(tighten(p), false, facts);
                }
            }
        }
        self.constraints.len() > before
    }

    /// Returns the facts by which `a <= λ·b` for some λ > 0.
    fn bounded_by(&mut self, arena: &Arena, a: &Poly, b: &Poly) -> Option<FactIndices> {
        let mut tried: SmallVec<[(i128, i128); 4]> = SmallVec::new();
        for (m, cb) in b.terms.iter().filter(|(m, _)| !m.is_empty()) {
            let Ok(i) = a.terms.binary_search_by(|t| t.0.cmp(m)) else { continue };
            let ca = a.terms[i].1;
            if (ca > 0) != (*cb > 0) {
                continue;
            }
            let g = gcd(ca, *cb);
            let ratio = ((ca / g).abs(), (cb / g).abs());
            if tried.contains(&ratio) {
                continue;
            }
            tried.push(ratio);
            // |cb|·a <= |ca|·b
            let gap = scaled(b, ratio.0)?.add_scaled(a, -ratio.1)?;
            if let Some(u) = self.nonneg_within(arena, &gap, 4, 6) {
                return Some(u);
            }
        }
        None
    }

    /// Returns the literals of a member of a disjunction.
    fn read_members(&self, arena: &mut Arena, t: TermId, used: &FactIndices) -> Vec<Literal> {
        let v = match arena.get(t) {
            Term::And(v) => v.clone(),
            _ => vec![t],
        };
        v.into_iter().map(|x| (x, used.clone())).collect()
    }

    /// Returns the facts that make a boolean false.
    pub fn falsified(&self, arena: &mut Arena, t: TermId) -> Option<FactIndices> {
        if arena.as_bool(t) == Some(false) {
            return Some(FactIndices::new());
        }
        let n = arena.not(t);
        if let Some(u) = self.truths.get(&n) {
            return Some(u.clone());
        }
        match arena.get(t).clone() {
            Term::And(v) => v.into_iter().find_map(|x| self.falsified(arena, x)),
            Term::Le(a) => {
                let p = arena.poly(a);
                self.poly_range(arena, &p).lo.is_some_and(|v| v > 0).then(|| self.poly_facts(&p))
            }
            Term::EqZ(a) => {
                let p = arena.poly(a);
                (!self.poly_range(arena, &p).contains_value(0)).then(|| self.poly_facts(&p))
            }
            _ => None,
        }
    }

    fn poly_facts(&self, p: &Poly) -> FactIndices {
        p.terms.iter().fold(FactIndices::new(), |u, (m, _)| union(&u, &self.range_facts(m)))
    }
}

#[cfg(test)]
mod tests {
    use super::ConstraintStore;
    use crate::solver::WrapMode;
    use crate::solver::tests::sym;
    use engine::symbolic::terms::arena::Arena;

    /// `ca·m - y <= λ·(cb·m + z)` holds for a `λ > 0` just where the coefficients of the unbounded `m` have the same sign.
    #[test]
    fn a_form_is_bounded_by_a_multiple_of_another() {
        for (ca, cb) in (-9..=9).flat_map(|ca| (-9..=9).map(move |cb| (ca, cb))).filter(|(ca, cb)| ca * cb != 0) {
            let mut a = Arena::new();
            let (m, y, z) = (sym(&mut a, "m", -1000, 1000), sym(&mut a, "y", 0, 9), sym(&mut a, "z", 0, 9));
            let (of_a, of_b) = (a.scale(m, ca), a.scale(m, cb));
            let (form, other) = (a.sub(of_a, y), a.add(of_b, z));
            let (form, other) = (a.poly(form), a.poly(other));
            let mut store = ConstraintStore::new(&mut a, WrapMode::Exact, vec![], &[]);
            let found = store.bounded_by(&a, &form, &other);
            assert_eq!(found.is_some(), ca * cb > 0, "{ca} and {cb}");
        }
    }

    #[test]
    fn a_condition_is_falsified_by_bounds_alone_where_no_value_satisfies_it() {
        for (lo, hi) in (-4..=4).flat_map(|lo| (lo..=4).map(move |hi| (lo, hi))) {
            let mut a = Arena::new();
            let x = sym(&mut a, "x", lo, hi);
            let (zero, store) = (a.int(0), ConstraintStore::new(&mut a, WrapMode::Exact, vec![], &[]));
            let (at_most, same) = (a.le(x, zero), a.eq(x, zero));
            assert_eq!(store.falsified(&mut a, at_most).is_some(), lo > 0, "{lo}..{hi}");
            assert_eq!(store.falsified(&mut a, same).is_some(), lo > 0 || hi < 0, "{lo}..{hi}");
            let both = a.and(at_most, same);
            assert_eq!(store.falsified(&mut a, both).is_some(), lo > 0 || hi < 0, "{lo}..{hi}");
        }
    }
}
