//! Defining facts of atoms: quotients and remainders, minima and maxima, bits, powers of two, wraps.
//!
//! In: an atom of a polynomial. Out: constraints in the [`ConstraintStore`] on this atom. They hold without any path condition,
//! or rest on facts that are recorded with them.

use super::form::{FactIndices, atom, divide, plus, product, scaled, union};
use super::quotients::Division;
use super::store::ConstraintStore;
use crate::solver::query::WrapMode;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Monomial, Poly, Term, TermId};

/// Depth of searches for the side conditions of a definition.
const DEPTH: u32 = 4;
const STEPS: u32 = 20;

impl ConstraintStore {
    /// Defines every atom that the constraints mention.
    pub fn define_all(&mut self, arena: &mut Arena) {
        let mut i = 0;
        // Definitions add constraints with atoms of their own.
        while i < self.constraints.len() {
            let p = self.constraints[i].p.clone();
            self.define_atoms(arena, &p);
            i += 1;
        }
    }

    /// Defines the atoms of a polynomial and of their arguments.
    pub fn define_atoms(&mut self, arena: &mut Arena, p: &Poly) {
        let atoms: Vec<TermId> =
            p.terms.iter().flat_map(|(m, _)| m.iter().copied()).filter(|a| !self.defined.contains(a)).collect();
        if atoms.is_empty() {
            return;
        }
        for n in arena.cone(&atoms) {
            if !arena.is_boolean(n) && !matches!(arena.get(n), Term::Int(_) | Term::Poly(_)) && self.defined.insert(n) {
                let before = self.constraints.len();
                self.define(arena, n);
                if self.constraints.len() > before {
                    self.memo.clear_failures();
                }
            }
        }
    }

    fn at_least(&mut self, p: Option<Poly>, used: &FactIndices) {
        if let Some(p) = p {
            self.add_constraint(p, false, used.clone());
        }
    }
    fn equal(&mut self, p: Option<Poly>, used: &FactIndices) {
        if let Some(p) = p {
            self.add_constraint(p, true, used.clone());
        }
    }

    fn proved(&mut self, arena: &Arena, p: Option<Poly>) -> Option<FactIndices> {
        self.nonneg_within(arena, &p?, DEPTH, STEPS)
    }

    fn define(&mut self, arena: &mut Arena, n: TermId) {
        let none = FactIndices::new();
        match arena.get(n).clone() {
            Term::FloorDiv(a, c) => {
                let (pa, d) = (arena.poly(a), Poly::of(Monomial::new(), c));
                self.quotient_facts(&pa, &d, &atom(n), &none);
                self.divisors.insert(n, (d, none));
                if let [(m, 1)] = pa.terms.as_slice()
                    && let [x] = m.as_slice()
                {
                    self.floors.entry(*x).or_default().push((c, n));
                }
                let m = arena.modulo(a, c);
                self.relate(arena, m, n, a, c);
            }
            Term::Mod(a, c) => {
                let q = arena.floor_div(a, c);
                self.relate(arena, n, q, a, c);
                let pa = arena.poly(a);
                if let Some(u) = self.proved(arena, Some(pa.clone())) {
                    self.at_least(pa.add_scaled(&atom(n), -1), &u);
                }
            }
            Term::Div(a, b) => self.define_division(arena, n, a, b),
            Term::Rem(a, b) => self.define_remainder(arena, n, a, b),
            Term::Ite(c, a, b) => self.define_choice(arena, n, c, a, b),
            Term::Wrap { arg, bits, signed } if self.mode == WrapMode::Exact => {
                let r = Interval::of_int(bits, signed);
                let p = arena.poly(arg);
                let (Some(lo), Some(hi)) = (r.lo, r.hi) else { return };
                let above = plus(&p, -lo);
                let below = scaled(&p, -1).and_then(|n| plus(&n, hi));
                if let Some(u) = self.proved(arena, above)
                    && let Some(v) = self.proved(arena, below)
                {
                    self.equal(p.add_scaled(&atom(n), -1), &union(&u, &v));
                }
            }
            Term::BitAnd(a, b, _) => {
                for x in [a, b] {
                    let p = arena.poly(x);
                    if let Some(u) = self.proved(arena, Some(p.clone())) {
                        self.at_least(p.add_scaled(&atom(n), -1), &u);
                    }
                }
            }
            Term::BitOr(a, b, w) | Term::BitXor(a, b, w) => {
                let or = matches!(arena.get(n), Term::BitOr(..));
                let (pa, pb) = (arena.poly(a), arena.poly(b));
                let (Some(u), Some(v)) = (self.proved(arena, Some(pa.clone())), self.proved(arena, Some(pb.clone())))
                else {
                    return;
                };
                let both = union(&u, &v);
                self.at_least(pa.add_scaled(&pb, 1).and_then(|s| s.add_scaled(&atom(n), -1)), &both);
                if or && let Some(hi) = Interval::of_int(w, false).hi {
                    for (p, u) in [(pa, u), (pb, v)] {
                        let fits = scaled(&p, -1).and_then(|n| plus(&n, hi));
                        if let Some(f) = self.proved(arena, fits) {
                            self.at_least(atom(n).add_scaled(&p, -1), &union(&u, &f));
                        }
                    }
                }
            }
            Term::Pow2(a) => self.define_power(arena, n, a),
            _ => {}
        }
    }

    /// `q` is the floor of `a / d`, where `d >= 1`.
    fn quotient_facts(&mut self, a: &Poly, d: &Poly, q: &Poly, used: &FactIndices) {
        let Some(dq) = d.mul(q) else { return };
        // d·q <= a
        self.at_least(a.add_scaled(&dq, -1), used);
        // a <= d·q + d - 1
        self.at_least(dq.add_scaled(a, -1).and_then(|p| p.add_scaled(d, 1)).and_then(|p| plus(&p, -1)), used);
    }

    /// `a = c·quotient + remainder`, once both occur.
    fn relate(&mut self, arena: &Arena, remainder: TermId, quotient: TermId, a: TermId, c: i128) {
        let occurs = |t: TermId| arena.poly(t).terms.iter().all(|(m, _)| m.iter().all(|x| self.defined.contains(x)));
        if !occurs(remainder) || !occurs(quotient) {
            return;
        }
        let used = FactIndices::new();
        self.divisions.push(Division {
            dividend: arena.poly(a),
            divisor: Poly::of(Monomial::new(), c),
            quotient,
            remainder,
            used: used.clone(),
        });
        let p =
            arena.poly(a).add_scaled(&arena.poly(quotient), -c).and_then(|p| p.add_scaled(&arena.poly(remainder), -1));
        self.equal(p, &used);
    }

    fn define_division(&mut self, arena: &mut Arena, n: TermId, a: TermId, b: TermId) {
        let (pa, pb) = (arena.poly(a), arena.poly(b));
        // Contradictory facts would "prove" a negative constant positive.
        if arena.as_int(b).is_some_and(|c| c <= 0) {
            return;
        }
        let q = atom(n);
        let Some(positive) = self.proved(arena, plus(&pb, -1)) else { return };
        if let Some(exact) = exact_quotient(&pa, &pb) {
            self.equal(exact.add_scaled(&q, -1), &positive);
            return;
        }
        self.divisors.insert(n, (pb.clone(), positive.clone()));
        let below = scaled(&pa, -1);
        if let Some(u) = self.proved(arena, Some(pa.clone())) {
            let used = union(&u, &positive);
            if let Some(c) = arena.as_int(b) {
                // Truncation equals floor division here, so the facts of the latter hold too.
                let f = arena.floor_div(a, c);
                let pf = arena.poly(f);
                self.equal(pf.add_scaled(&q, -1), &used);
                self.define_atoms(arena, &pf);
            } else {
                self.quotient_facts(&pa, &pb, &q, &used);
                self.bounds_of_quotient(&pa, &pb, n, &used);
            }
            self.at_least(Some(q.clone()), &used);
            self.at_least(pa.add_scaled(&q, -1), &used);
        } else if let Some(u) = self.proved(arena, below.clone()) {
            // Truncated division of a negative dividend: the negated floor of its magnitude.
            let Some(minus) = below else { return };
            if let Some(nq) = scaled(&q, -1) {
                self.quotient_facts(&minus, &pb, &nq, &union(&u, &positive));
            }
        } else {
            // For either sign |a - b·q| <= b - 1.
            let Some(bq) = pb.mul(&q) else { return };
            for sign in [1, -1] {
                let gap = pa
                    .add_scaled(&bq, -1)
                    .and_then(|d| scaled(&d, sign))
                    .and_then(|d| d.add_scaled(&pb, 1))
                    .and_then(|d| plus(&d, -1));
                self.at_least(gap, &positive);
            }
        }
        let r = arena.rem(a, b);
        self.relate_division(arena, n, r, &pa, &pb, &positive);
    }

    fn define_remainder(&mut self, arena: &mut Arena, n: TermId, a: TermId, b: TermId) {
        let (pa, pb) = (arena.poly(a), arena.poly(b));
        if arena.as_int(b).is_some_and(|c| c <= 0) {
            return;
        }
        let r = atom(n);
        let Some(positive) = self.proved(arena, plus(&pb, -1)) else { return };
        let below_divisor = pb.add_scaled(&r, -1).and_then(|p| plus(&p, -1));
        self.at_least(below_divisor, &positive);
        if let Some(u) = self.proved(arena, Some(pa.clone())) {
            let used = union(&u, &positive);
            if let Some(c) = arena.as_int(b) {
                let m = arena.modulo(a, c);
                let pm = arena.poly(m);
                self.equal(pm.add_scaled(&r, -1), &used);
                self.define_atoms(arena, &pm);
            }
            self.at_least(Some(r.clone()), &used);
            self.at_least(pa.add_scaled(&r, -1), &used);
        } else {
            self.at_least(pb.add_scaled(&r, 1).and_then(|p| plus(&p, -1)), &positive);
        }
        let q = arena.div(a, b);
        self.relate_division(arena, q, n, &pa, &pb, &positive);
    }

    /// `a = b·q + r` of C's division, once both occur.
    fn relate_division(&mut self, arena: &Arena, q: TermId, r: TermId, a: &Poly, b: &Poly, used: &FactIndices) {
        if !self.defined.contains(&q) || !self.defined.contains(&r) {
            return;
        }
        self.divisions.push(Division {
            dividend: a.clone(),
            divisor: b.clone(),
            quotient: q,
            remainder: r,
            used: used.clone(),
        });
        let (q, r) = (arena.poly(q), arena.poly(r));
        let p = b.mul(&q).and_then(|bq| a.add_scaled(&bq, -1)).and_then(|p| p.add_scaled(&r, -1));
        self.equal(p, used);
    }

    fn define_choice(&mut self, arena: &mut Arena, n: TermId, c: TermId, a: TermId, b: TermId) {
        let (v, pa, pb) = (atom(n), arena.poly(a), arena.poly(b));
        if let Some(u) = self.holds(arena, c) {
            self.equal(pa.add_scaled(&v, -1), &u);
            return;
        }
        let no = arena.not(c);
        if let Some(u) = self.holds(arena, no) {
            self.equal(pb.add_scaled(&v, -1), &u);
            return;
        }
        // Minimum and maximum: the condition compares the two branches.
        let none = FactIndices::new();
        match (minimum(arena, c, &pa, &pb), minimum(arena, c, &pb, &pa)) {
            (true, _) => {
                for p in [&pa, &pb] {
                    self.at_least(p.add_scaled(&v, -1), &none);
                }
            }
            (_, true) => {
                for p in [&pa, &pb] {
                    self.at_least(v.add_scaled(p, -1), &none);
                }
            }
            _ => {}
        }
        // The value lies between the branches, where their order is known.
        if let Some(d) = pb.add_scaled(&pa, -1) {
            let opposite = scaled(&d, -1);
            if let Some(u) = self.proved(arena, Some(d)) {
                self.at_least(v.add_scaled(&pa, -1), &u);
                self.at_least(pb.add_scaled(&v, -1), &u);
            } else if let Some(u) = self.proved(arena, opposite) {
                self.at_least(v.add_scaled(&pb, -1), &u);
                self.at_least(pa.add_scaled(&v, -1), &u);
            }
        }
        let (ra, rb) = (self.poly_range(arena, &pa), self.poly_range(arena, &pb));
        let r = ra.union(rb);
        let used =
            pa.terms.iter().chain(&pb.terms).fold(FactIndices::new(), |u, (m, _)| union(&u, &self.range_facts(m)));
        if let Some(lo) = r.lo {
            self.at_least(plus(&v, -lo), &used);
        }
        if let Some(hi) = r.hi {
            self.at_least(scaled(&v, -1).and_then(|p| plus(&p, hi)), &used);
        }
    }

    /// Returns facts that make a boolean true: the boolean is one of them, or a comparison that follows quickly.
    pub fn holds(&mut self, arena: &Arena, c: TermId) -> Option<FactIndices> {
        if let Some(u) = self.truths.get(&c) {
            return Some(u.clone());
        }
        match arena.get(c) {
            Term::True => Some(FactIndices::new()),
            Term::Le(t) => {
                let p = scaled(&arena.poly(*t), -1);
                self.proved(arena, p)
            }
            Term::And(v) => {
                let mut used = FactIndices::new();
                for x in v.clone() {
                    used = union(&used, &self.holds(arena, x)?);
                }
                Some(used)
            }
            Term::Not(x) => {
                let Term::EqZ(t) = arena.get(*x) else { return None };
                let p = arena.poly(*t);
                let more = plus(&p, -1);
                let less = scaled(&p, -1).and_then(|p| plus(&p, -1));
                self.proved(arena, more).or_else(|| self.proved(arena, less))
            }
            _ => None,
        }
    }

    fn define_power(&mut self, arena: &mut Arena, n: TermId, a: TermId) {
        let (v, pa) = (atom(n), arena.poly(a));
        // 2^a >= a + 1
        if Interval::new(0, 126).contains(arena.range(a)) {
            self.at_least(v.add_scaled(&pa, -1).and_then(|p| plus(&p, -1)), &FactIndices::new());
        }
        // 2^a <= 2^c for the least c for which a <= c is proved.
        let (mut low, mut high) = (self.poly_range(arena, &pa).lo.unwrap_or(0).max(0), 126);
        let mut used = None;
        while low <= high {
            let mid = low + (high - low) / 2;
            let within = scaled(&pa, -1).and_then(|p| plus(&p, mid));
            match self.proved(arena, within) {
                Some(u) => {
                    used = Some((mid, u));
                    high = mid - 1;
                }
                None => low = mid + 1,
            }
        }
        if let Some((c, u)) = used {
            self.at_least(scaled(&v, -1).and_then(|p| plus(&p, 1 << c)), &u);
        }
        let others: Vec<(TermId, TermId)> = self
            .defined
            .iter()
            .filter_map(|t| match arena.get(*t) {
                Term::Pow2(b) if *t != n => Some((*t, *b)),
                _ => None,
            })
            .collect();
        for (m, b) in others {
            let w = atom(m);
            let pb = arena.poly(b);
            let Some(gap) = pb.add_scaled(&pa, -1) else { continue };
            // Below 2^0 there is no halving: a term valid only after the first iteration may have a negative
            // exponent.
            let (of_a, of_b) = (self.proved(arena, Some(pa.clone())), self.proved(arena, Some(pb)));
            let constant = gap.is_constant().then(|| gap.constant());
            match constant {
                // 2^b = 2^(b-a) · 2^a
                Some(k) if (0..=64).contains(&k) => {
                    if let Some(u) = of_a {
                        self.equal(scaled(&v, 1 << k).and_then(|p| p.add_scaled(&w, -1)), &u);
                    }
                }
                Some(k) if (-64..0).contains(&k) => {
                    if let Some(u) = of_b {
                        self.equal(scaled(&w, 1 << -k).and_then(|p| p.add_scaled(&v, -1)), &u);
                    }
                }
                _ => {
                    let opposite = scaled(&gap, -1);
                    for (gap, low, high, least) in [(Some(gap), &v, &w, &of_a), (opposite, &w, &v, &of_b)] {
                        let strict = gap.as_ref().and_then(|g| plus(g, -1));
                        if let (Some(u), Some(l)) = (self.proved(arena, strict), least) {
                            self.at_least(high.add_scaled(low, -2), &union(&u, l));
                        } else if let Some(u) = self.proved(arena, gap) {
                            self.at_least(high.add_scaled(low, -1), &u);
                        }
                    }
                }
            }
        }
    }
}

/// Whether `c ? a : b` is the minimum of `a` and `b`.
fn minimum(arena: &Arena, c: TermId, a: &Poly, b: &Poly) -> bool {
    let Term::Le(t) = arena.get(c) else { return false };
    let Some(gap) = a.add_scaled(b, -1) else { return false };
    let t = arena.poly(*t);
    // t = (a - b) / g + d with d of 0 or 1, as comparisons are divided by the common factor.
    let g = gap.common_divisor();
    if g == 0 {
        return false;
    }
    let strip = |p: &Poly, g: i128| -> Poly {
        Poly { terms: p.terms.iter().filter(|(m, _)| !m.is_empty()).map(|(m, c)| (m.clone(), c / g)).collect() }
    };
    if strip(&t, 1) != strip(&gap, g) {
        return false;
    }
    // c: Σ <= -k.  a <= b where c:   Σ·g <= -k·g, wanted Σ·g <= -gap0.   b <= a where not c: Σ >= 1 - k.
    let (k, gap0) = (t.constant(), gap.constant());
    let fits = |l: Option<i128>, r: i128| l.is_some_and(|l| l <= r);
    fits((-k).checked_mul(g), -gap0) && (1 - k).checked_mul(g).is_some_and(|v| v >= -gap0)
}

/// Returns `a / b` where the monomial `b` divides every monomial of `a`.
fn exact_quotient(a: &Poly, b: &Poly) -> Option<Poly> {
    let [(mb, cb)] = b.terms.as_slice() else { return None };
    let mut terms: Vec<(Monomial, i128)> = vec![];
    for (m, c) in &a.terms {
        if c % cb != 0 {
            return None;
        }
        let q = divide(m, mb)?;
        debug_assert_eq!(&product(&q, mb), m);
        terms.push((q, c / cb));
    }
    terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Some(Poly { terms })
}
