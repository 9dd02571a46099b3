//! Facts as polynomials, with the bounds that follow from them at once.
//!
//! In: boolean terms, each with the facts it rests on. Out: constraints `p >= 0` and `p == 0`, constant bounds of
//! monomials, booleans known to be true, and the remaining disjunctions. Equalities `x == e` are used as rewriting.

use super::form::{FactIndices, common, quotient, scaled, tighten, union};
use super::quotients::Division;
use super::samples::{self, SampleValues};
use super::search::Memo;
use crate::solver::query::WrapMode;
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Monomial, Poly, SymId, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// `p >= 0`, or `p == 0`.
#[derive(Clone, Debug)]
pub(super) struct PolyConstraint {
    pub p: Poly,
    pub equality: bool,
    pub used: FactIndices,
}

/// Constant bounds of a monomial and the facts behind each.
#[derive(Clone, Debug, Default)]
pub(super) struct MonomialBound {
    pub lo: Option<(i128, FactIndices)>,
    pub hi: Option<(i128, FactIndices)>,
}

impl MonomialBound {
    pub fn range(&self) -> Interval {
        Interval { lo: self.lo.as_ref().map(|b| b.0), hi: self.hi.as_ref().map(|b| b.0) }
    }
}

/// A boolean term that holds, and the facts that it rests on.
pub(super) type Literal = (TermId, FactIndices);

#[derive(Clone)]
pub(super) struct ConstraintStore {
    pub mode: WrapMode,
    pub constraints: Vec<PolyConstraint>,
    /// The same constraints without the facts that they rest on.
    known: FxHashSet<(Poly, bool)>,
    pub bounds: FxHashMap<Monomial, MonomialBound>,
    /// Literals as given, after rewriting; branches start from them.
    pub literals: Vec<Literal>,
    pub truths: FxHashMap<TermId, FactIndices>,
    pub disjunctions: Vec<(Vec<TermId>, FactIndices)>,
    /// Replacements of terms; no replacement contains a replaced term.
    pub rewrites: FxHashMap<TermId, TermId>,
    rewrite_used: FxHashMap<TermId, FactIndices>,
    /// Facts that contradict each other, if any do.
    pub contradiction: Option<FactIndices>,
    /// Atoms whose defining facts are included.
    pub defined: FxHashSet<TermId>,
    /// Quotients with their divisors; the recorded facts make each divisor at least 1.
    pub divisors: FxHashMap<TermId, (Poly, FactIndices)>,
    /// Pairs `(c, q)` of a constant and the floor `q` of `x / c`, by term `x`.
    pub floors: FxHashMap<TermId, Vec<(i128, TermId)>>,
    /// Quotients that occur together with their remainders.
    pub divisions: Vec<Division>,
    pub memo: Memo,
    pub steps: u32,
    /// Assignments that satisfy the facts, once a search ran.
    pub samples: Vec<SampleValues>,
    pub sampled: bool,
}

/// Iterations of bound propagation.
const ROUNDS: usize = 3;
/// Most equalities used as rewriting.
const MAX_REWRITES: usize = 24;

impl ConstraintStore {
    pub fn new(
        arena: &mut Arena,
        mode: WrapMode,
        literals: Vec<Literal>,
        rewrites: &[(TermId, TermId, FactIndices)],
    ) -> Self {
        let mut s = Self {
            mode,
            constraints: vec![],
            known: FxHashSet::default(),
            bounds: FxHashMap::default(),
            literals: vec![],
            truths: FxHashMap::default(),
            disjunctions: vec![],
            rewrites: FxHashMap::default(),
            rewrite_used: FxHashMap::default(),
            contradiction: None,
            defined: FxHashSet::default(),
            divisors: FxHashMap::default(),
            floors: FxHashMap::default(),
            divisions: vec![],
            memo: Memo::default(),
            steps: 400,
            samples: vec![],
            sampled: false,
        };
        for (from, to, used) in rewrites {
            s.add_rewrite(arena, *from, *to, used.clone());
        }
        let literals = s.read_literals(arena, literals);
        s.literals.clone_from(&literals);
        let mut unequal = vec![];
        for (t, used) in &literals {
            s.add_literal(arena, *t, used, &mut unequal);
        }
        s.propagate(arena);
        s.define_all(arena);
        s.propagate(arena);
        s.settle(arena, unequal);
        s
    }

    // ---- literals and rewriting ----

    /// Takes conjunctions apart, reads wraps, and turns equalities into rewriting until nothing changes.
    fn read_literals(&mut self, arena: &mut Arena, given: Vec<Literal>) -> Vec<Literal> {
        let mut queue: Vec<Literal> = given;
        queue.reverse();
        let mut done: Vec<Literal> = vec![];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut listed: FxHashSet<TermId> = FxHashSet::default();
        while let Some((t, used)) = queue.pop() {
            if let Term::And(v) = arena.get(t) {
                queue.extend(v.iter().rev().map(|x| (*x, used.clone())));
                continue;
            }
            if !seen.insert(t) {
                continue;
            }
            queue.extend(self.wrap_facts(arena, t).into_iter().map(|f| (f, used.clone())));
            let (t, used) = self.rewrite(arena, t, &used);
            match arena.get(t) {
                Term::True => continue,
                Term::False => {
                    self.contradict(used);
                    continue;
                }
                Term::And(_) => {
                    queue.push((t, used));
                    continue;
                }
                _ => {}
            }
            if self.rewrites.len() < MAX_REWRITES
                && let Some((x, e, facts)) = self.solve(arena, t)
            {
                // Literals read so far are read again under the new rewriting.
                self.add_rewrite(arena, x, e, used.clone());
                queue.append(&mut done);
                seen.clear();
                listed.clear();
                queue.push((t, used.clone()));
                queue.extend(facts.into_iter().map(|f| (f, used.clone())));
            } else if listed.insert(t) {
                done.push((t, used));
            }
        }
        done
    }

    /// Rewrites a term to the terms of this store; returns it with all facts that it then rests on.
    pub fn rewrite(&self, arena: &mut Arena, t: TermId, used: &FactIndices) -> (TermId, FactIndices) {
        let t = self.without_wraps(arena, t);
        if self.rewrites.is_empty() {
            return (t, used.clone());
        }
        let mut all = used.clone();
        for n in arena.cone(&[t]) {
            if let Some(u) = self.rewrite_used.get(&n) {
                all = union(&all, u);
            }
        }
        (arena.substitute(t, &self.rewrites), all)
    }

    fn add_rewrite(&mut self, arena: &mut Arena, from: TermId, to: TermId, used: FactIndices) {
        let (to, used) = self.rewrite(arena, to, &used);
        let one: FxHashMap<TermId, TermId> = std::iter::once((from, to)).collect();
        let keys: Vec<TermId> = self.rewrites.keys().copied().collect();
        for k in keys {
            let old = self.rewrites[&k];
            let new = arena.substitute(old, &one);
            if new != old {
                self.rewrites.insert(k, new);
                let u = union(self.rewrite_used.get(&k).unwrap_or(&FactIndices::new()), &used);
                self.rewrite_used.insert(k, u);
            }
        }
        self.rewrites.insert(from, to);
        self.rewrite_used.insert(from, used);
    }

    /// Returns the term with every wrap replaced by its argument where wraps are assumed away, else unchanged.
    pub fn without_wraps(&self, arena: &mut Arena, t: TermId) -> TermId {
        if self.mode == WrapMode::Exact { t } else { arena.unwrapped(t) }
    }

    /// Returns the range facts of the assumed wraps that a literal surely evaluates: none in a branch or in the
    /// members of a disjunction.
    pub fn wrap_facts(&self, arena: &mut Arena, literal: TermId) -> Vec<TermId> {
        if self.mode == WrapMode::Exact {
            return vec![];
        }
        let mut out = vec![];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = vec![literal];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match arena.get(t) {
                Term::And(_) | Term::Or(_) => {}
                Term::Ite(c, _, _) => stack.push(*c),
                Term::Wrap { arg, bits, signed } => {
                    let (arg, r) = (*arg, Interval::of_int(*bits, *signed));
                    stack.push(arg);
                    let (lo, hi) = (r.lo.unwrap_or(0), r.hi.unwrap_or(0));
                    let (lo, hi) = (arena.int(lo), arena.int(hi));
                    let plain = self.without_wraps(arena, arg);
                    let facts = [arena.le(lo, plain), arena.le(plain, hi)];
                    out.extend(facts.into_iter().filter(|f| arena.as_bool(*f) != Some(true)));
                }
                _ => stack.extend(arena.children(t)),
            }
        }
        out
    }

    /// Solves an equality as `x -> e` with `x` not in `e`, and states the range of `x` for `e`.
    fn solve(&self, arena: &mut Arena, t: TermId) -> Option<(TermId, TermId, Vec<TermId>)> {
        let Term::EqZ(p) = arena.get(t) else { return None };
        let p = *p;
        if let Term::Mod(a, c) = arena.get(p) {
            let (a, c) = (*a, *c);
            let step = arena.int(c);
            return self.solve_multiple(arena, a, step);
        }
        if let Term::Rem(a, b) = arena.get(p) {
            let (a, b) = (*a, *b);
            // Nothing may follow for a remainder by zero either.
            return if arena.range(b).contains_value(0) { None } else { self.solve_multiple(arena, a, b) };
        }
        let poly = arena.poly(p);
        // The youngest symbol is the most derived one.
        let mut options: Vec<(TermId, i128)> = poly
            .terms
            .iter()
            .filter(|(m, c)| m.len() == 1 && c.abs() == 1 && matches!(arena.get(m[0]), Term::Sym(_)))
            .map(|(m, c)| (m[0], *c))
            .collect();
        options.sort_by_key(|(x, _)| std::cmp::Reverse(*x));
        for (x, c) in options {
            let rest = Poly { terms: poly.terms.iter().filter(|(m, _)| m.as_slice() != [x]).cloned().collect() };
            let Some(rest) = scaled(&rest, -c) else { continue };
            let e = arena.from_poly(rest);
            if arena.cone(&[e]).contains(&x) {
                continue;
            }
            let facts = self.range_said(arena, arena.range(x), e);
            return Some((x, e, facts));
        }
        None
    }

    /// Uses that `a` is a multiple of `step`: expresses one of its symbols by a fresh one.
    fn solve_multiple(&self, arena: &mut Arena, a: TermId, step: TermId) -> Option<(TermId, TermId, Vec<TermId>)> {
        let poly = arena.poly(a);
        let others = arena.cone(&[step]);
        for (m, c) in &poly.terms {
            let [x] = m.as_slice() else { continue };
            let x = *x;
            if c.abs() != 1 || !matches!(arena.get(x), Term::Sym(_)) || others.contains(&x) {
                continue;
            }
            let rest = Poly { terms: poly.terms.iter().filter(|(m, _)| m.as_slice() != [x]).cloned().collect() };
            let rest_term = arena.from_poly(rest.clone());
            if arena.cone(&[rest_term]).contains(&x) {
                continue;
            }
            // c·x + rest = step·k
            let never_negative =
                arena.range(a).lo.is_some_and(|v| v >= 0) && arena.range(step).lo.is_some_and(|v| v >= 1);
            let range = if never_negative { Interval { lo: Some(0), hi: arena.range(a).hi } } else { Interval::ANY };
            let k = arena.fresh(SymKind::Unknown { reason: UnknownReason::Multiple }, "k", range);
            let whole = arena.mul(step, k);
            let e = arena.sub(whole, rest_term);
            let e = arena.scale(e, *c);
            let facts = self.range_said(arena, arena.range(x), e);
            return Some((x, e, facts));
        }
        None
    }

    fn range_said(&self, arena: &mut Arena, r: Interval, e: TermId) -> Vec<TermId> {
        let mut facts = vec![];
        if let Some(lo) = r.lo {
            let lo = arena.int(lo);
            facts.push(arena.le(lo, e));
        }
        if let Some(hi) = r.hi {
            let hi = arena.int(hi);
            facts.push(arena.le(e, hi));
        }
        facts.retain(|f| arena.as_bool(*f) != Some(true));
        facts
    }

    pub fn contradict(&mut self, used: FactIndices) {
        if self.contradiction.is_none() {
            self.contradiction = Some(used);
        }
    }

    pub fn add_literal(
        &mut self,
        arena: &Arena,
        t: TermId,
        used: &FactIndices,
        unequal: &mut Vec<(Poly, FactIndices)>,
    ) {
        self.truths.entry(t).or_insert_with(|| used.clone());
        match arena.get(t) {
            Term::Le(a) => {
                if let Some(p) = scaled(&arena.poly(*a), -1) {
                    self.add_constraint(tighten(p), false, used.clone());
                }
            }
            Term::EqZ(a) => self.add_constraint(arena.poly(*a), true, used.clone()),
            Term::Not(x) => {
                if let Term::EqZ(a) = arena.get(*x) {
                    unequal.push((arena.poly(*a), used.clone()));
                }
            }
            Term::Or(v) => self.disjunctions.push((v.clone(), used.clone())),
            _ => {}
        }
    }

    /// Looks for assignments that satisfy the facts, and evaluates the roots under them.
    pub fn sample(&mut self, arena: &Arena, roots: &[TermId]) {
        if !std::mem::replace(&mut self.sampled, true) {
            let literals: Vec<TermId> = self.literals.iter().map(|l| l.0).collect();
            self.samples = samples::find(arena, &literals, self.mode);
            let atoms: Vec<TermId> = self.defined.iter().copied().collect();
            for s in &mut self.samples {
                s.extend(arena, &atoms, self.mode);
            }
        }
        for s in &mut self.samples {
            s.extend(arena, roots, self.mode);
        }
    }

    /// Returns a sample's values of all symbols, including rewritten ones.
    pub fn assignment(&mut self, arena: &Arena, sample: usize) -> FxHashMap<SymId, i128> {
        let s = &mut self.samples[sample];
        let mut out = s.symbols.clone();
        for (from, to) in &self.rewrites {
            let Term::Sym(x) = arena.get(*from) else { continue };
            s.extend(arena, &[*to], self.mode);
            if let Some(v) = s.value(*to) {
                out.insert(*x, v);
            }
        }
        out
    }

    // ---- constraints and bounds ----

    pub fn add_constraint(&mut self, p: Poly, equality: bool, used: FactIndices) {
        if p.is_constant() {
            let c = p.constant();
            if c < 0 || (equality && c != 0) {
                self.contradict(used);
            }
            return;
        }
        if !self.known.insert((p.clone(), equality)) {
            return;
        }
        self.constraints.push(PolyConstraint { p, equality, used });
    }

    /// Derives constant bounds of monomials from the constraints and from each other.
    pub fn propagate(&mut self, arena: &Arena) {
        for _ in 0..ROUNDS {
            let mut changed = self.cancel_common(arena);
            for i in 0..self.constraints.len() {
                let k = self.constraints[i].clone();
                changed |= self.propagate_one(arena, &k.p, &k.used);
                if k.equality
                    && let Some(n) = scaled(&k.p, -1)
                {
                    changed |= self.propagate_one(arena, &n, &k.used);
                }
                if self.contradiction.is_some() {
                    return;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Derives `q >= 0` from `g·q >= 0` and `g >= 1`.
    fn cancel_common(&mut self, arena: &Arena) -> bool {
        let before = self.constraints.len();
        for i in 0..before {
            let k = &self.constraints[i];
            let mut g = common(&k.p);
            g.retain(|a| self.atom_range(arena, *a).lo.is_some_and(|v| v >= 1));
            if g.is_empty() {
                continue;
            }
            let Some(q) = quotient(&k.p, &g) else { continue };
            let (equality, used) = (k.equality, union(&k.used, &self.range_facts(&g)));
            self.add_constraint(tighten(q), equality, used);
        }
        self.constraints.len() > before
    }

    /// Derives `c·m >= -(greatest value of the rest)` from `Σ c·m + k >= 0`.
    fn propagate_one(&mut self, arena: &Arena, p: &Poly, used: &FactIndices) -> bool {
        charge_each(cost::CANCEL, p.terms.len());
        let most: Vec<Option<i128>> = p.terms.iter().map(|(m, c)| self.monomial_range(arena, m).scale(*c).hi).collect();
        // With two unbounded monomials no bound follows for any.
        let open = most.iter().filter(|v| v.is_none()).count();
        if open > 1 {
            return false;
        }
        let Some(sum) = most.iter().flatten().try_fold(0i128, |s, v| s.checked_add(*v)) else { return false };
        if open == 0 && sum < 0 {
            let all = p.terms.iter().fold(used.clone(), |u, (m, _)| union(&u, &self.range_facts(m)));
            self.contradict(all);
            return false;
        }
        let mut changed = false;
        for (i, (m, c)) in p.terms.iter().enumerate() {
            if m.is_empty() || (open == 1 && most[i].is_some()) {
                continue;
            }
            let Some(rest) = sum.checked_sub(most[i].unwrap_or(0)) else { continue };
            let lower = *c > 0;
            // c > 0: m >= ceil(-rest / c); c < 0: m <= floor(rest / -c)
            let v = if lower { -rest.div_euclid(*c) } else { rest.div_euclid(-c) };
            let now = self.monomial_range(arena, m);
            let better = if lower { now.lo.is_none_or(|l| v > l) } else { now.hi.is_none_or(|h| v < h) };
            if !better {
                continue;
            }
            let facts = p.terms.iter().enumerate().filter(|(j, _)| *j != i).fold(used.clone(), |u, (_, (m, c))| {
                union(&u, &if m.len() == 1 { self.bound_facts(m, *c < 0) } else { self.range_facts(m) })
            });
            let b = self.bounds.entry(m.clone()).or_default();
            if lower {
                b.lo = Some((v, facts));
            } else {
                b.hi = Some((v, facts));
            }
            changed = true;
            let now = self.monomial_range(arena, m);
            if let (Some(l), Some(h)) = (now.lo, now.hi)
                && l > h
            {
                let u = self.range_facts(m);
                self.contradict(u);
                return false;
            }
        }
        changed
    }
}
