//! The polynomial bound: decides most row-major indices at once, without a solver.
//!
//! In: facts and a goal. Out: the facts of a proof, or nothing; the search never refutes. A proof is a certificate of
//! `P >= 0` as a sum of products of facts (as those of Handelman, 1988, and Schmüdgen, 1991, over the integers, with
//! small multipliers). [`store`] reads the facts, [`define`] adds the defining facts of quotients, minima and the
//! like, [`disjunctions`] derives consequences of disjunctions, [`search`] looks for a proof, and [`quotients`] has
//! its steps for quotients and remainders. This module takes goals apart and splits cases.

mod define;
mod disjunctions;
mod eliminate;
mod form;
mod quotients;
mod samples;
mod search;
mod store;

use super::query::WrapMode;
pub(crate) use eliminate::{ConditionGoals, LARGEST};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Poly, SymId, Term, TermId};
use form::{FactIndices, plus, scaled, union};
use rustc_hash::{FxHashMap, FxHashSet};
use search::DEPTH;
use store::{ConstraintStore, Literal};

/// Depth of nested case splits: at most 2^SPLITS leaves for conditions.
const SPLITS: u32 = 2;
/// Case splits tried side by side.
const SPLIT_CHOICES: usize = 3;
/// Steps of a search before samples are looked for.
const QUICK_STEPS: u32 = 12;
/// Nested quotients and choices through which bounds of a term are sought.
const NESTED: u32 = 6;
/// Most members of a disjunction that is split.
const MAX_CASES: usize = 4;

/// Facts prepared once for several goals.
pub(super) struct PreparedFacts {
    store: ConstraintStore,
}

impl PreparedFacts {
    pub fn new(arena: &mut Arena, facts: &[TermId], mode: WrapMode) -> Self {
        // Facts beyond the first 2^16 - 1 are skipped: what follows from fewer facts still follows.
        let literals: Vec<Literal> =
            facts.iter().zip(0..u16::MAX).map(|(t, i)| (*t, std::iter::once(i).collect())).collect();
        Self { store: ConstraintStore::new(arena, mode, literals, &[]) }
    }

    /// Searches for a proof of at most `steps` steps, or an assignment found on the way.
    pub fn prove(&mut self, arena: &mut Arena, goal: TermId, steps: u32) -> SearchResult {
        let s = &mut self.store;
        s.steps = steps;
        s.memo.clear_failures();
        let wraps = s.wrap_facts(arena, goal);
        let (plain, used) = s.rewrite(arena, goal, &FactIndices::new());
        let found = s.prove_goal(arena, plain, SPLITS).or_else(|| {
            // A counterexample evaluates the goal, so the goal's wraps are in range.
            if wraps.is_empty() {
                return None;
            }
            let mut literals = s.literals.clone();
            literals.extend(wraps.into_iter().map(|w| s.rewrite(arena, w, &FactIndices::new())));
            s.branch(arena, literals, &[], |b, arena| b.prove_goal(arena, plain, SPLITS))
        });
        if let Some(found) = found {
            return SearchResult::Proof(union(&found, &used).into_iter().map(usize::from).collect());
        }
        s.sample(arena, &[plain]);
        match s.samples.iter().position(|x| x.value(plain) == Some(0)) {
            Some(i) => SearchResult::Assignment(s.assignment(arena, i)),
            None => SearchResult::Nothing,
        }
    }
}

impl PreparedFacts {
    /// Returns bounds of a term under the facts, where nothing wraps.
    pub fn range(&self, arena: &Arena, t: TermId) -> Interval {
        self.store.term_range(arena, t, NESTED)
    }

    /// Returns conditions over the terms that `stays` admits; together with the facts each implies the goal `t <= 0`
    /// where nothing wraps.
    pub fn conditions(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        stays: &dyn Fn(&Arena, TermId) -> bool,
        (sought, steps): (ConditionGoals, u32),
    ) -> Vec<Poly> {
        let s = &mut self.store;
        s.steps = steps;
        s.memo.clear_failures();
        let wraps = s.wrap_facts(arena, goal);
        let (plain, _) = s.rewrite(arena, goal, &FactIndices::new());
        let mut literals = s.literals.clone();
        literals.extend(wraps.into_iter().map(|w| s.rewrite(arena, w, &FactIndices::new())));
        let found = s.branch(arena, literals, &[], |s, arena| {
            let Term::Le(t) = *arena.get(plain) else { return None };
            let p = scaled(&arena.poly(t), -1)?;
            let atoms: FxHashSet<TermId> = s
                .constraints
                .iter()
                .flat_map(|k| k.p.terms.iter())
                .chain(&p.terms)
                .flat_map(|(m, _)| m.iter().copied())
                .filter(|a| stays(arena, *a))
                .collect();
            Some(s.conditions(arena, &p, &|a| atoms.contains(&a), sought))
        });
        found.unwrap_or_default()
    }
}

/// Result of a search.
pub(super) enum SearchResult {
    /// Indices of the facts used.
    Proof(Vec<usize>),
    /// Values of symbols that should satisfy the facts and refute the goal; the caller checks this.
    Assignment(FxHashMap<SymId, i128>),
    Nothing,
}

impl ConstraintStore {
    /// Runs `f` on a store with other literals and further rewriting, within the remaining steps.
    fn branch<T>(
        &mut self,
        arena: &mut Arena,
        literals: Vec<Literal>,
        rewrites: &[(TermId, TermId, FactIndices)],
        f: impl FnOnce(&mut Self, &mut Arena) -> Option<T>,
    ) -> Option<T> {
        // Reading the facts again costs in proportion to their size.
        let roots: Vec<TermId> = literals.iter().map(|l| l.0).collect();
        let size = u32::try_from(arena.cone(&roots).len()).unwrap_or(u32::MAX);
        self.steps = self.steps.checked_sub((size / 4).saturating_add(10))?;
        let mut b = Self::new(arena, self.mode, literals, rewrites);
        b.steps = self.steps;
        let out = f(&mut b, arena);
        self.steps = b.steps;
        out
    }

    fn prove_goal(&mut self, arena: &mut Arena, goal: TermId, splits: u32) -> Option<FactIndices> {
        if let Some(u) = &self.contradiction {
            return Some(u.clone());
        }
        if let Some(u) = self.truths.get(&goal) {
            return Some(u.clone());
        }
        match arena.get(goal).clone() {
            Term::True => Some(FactIndices::new()),
            Term::And(v) => {
                let mut used = FactIndices::new();
                for x in v {
                    used = union(&used, &self.prove_goal(arena, x, splits)?);
                }
                Some(used)
            }
            Term::Or(v) => self.prove_any(arena, &v, splits),
            _ => self.prove_literal(arena, goal).or_else(|| self.by_cases(arena, goal, splits)),
        }
    }

    /// Proves a disjunction: one member, where the others are false.
    fn prove_any(&mut self, arena: &mut Arena, members: &[TermId], splits: u32) -> Option<FactIndices> {
        for x in members {
            if let Some(u) = self.prove_literal(arena, *x) {
                return Some(u);
            }
        }
        for (i, x) in members.iter().enumerate().take(MAX_CASES) {
            let mut literals = self.literals.clone();
            for (j, y) in members.iter().enumerate() {
                if i != j {
                    literals.push((arena.not(*y), FactIndices::new()));
                }
            }
            let found = self.branch(arena, literals, &[], |b, arena| {
                let (x, used) = b.rewrite(arena, *x, &FactIndices::new());
                Some(union(&b.prove_goal(arena, x, splits.saturating_sub(1))?, &used))
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn prove_literal(&mut self, arena: &mut Arena, goal: TermId) -> Option<FactIndices> {
        match arena.get(goal).clone() {
            Term::Le(t) => {
                let p = scaled(&arena.poly(t), -1)?;
                self.prove_nonneg(arena, &p)
            }
            Term::EqZ(t) => {
                let p = arena.poly(t);
                let n = scaled(&p, -1)?;
                let a = self.prove_nonneg(arena, &p)?;
                let b = self.prove_nonneg(arena, &n)?;
                Some(union(&a, &b))
            }
            Term::Not(x) => {
                let Term::EqZ(t) = arena.get(x) else { return None };
                let p = arena.poly(*t);
                let less = plus(&scaled(&p, -1)?, -1)?;
                let more = plus(&p, -1)?;
                self.prove_nonneg(arena, &more).or_else(|| self.prove_nonneg(arena, &less))
            }
            Term::False => self.nonneg(arena, &Poly::of(smallvec::SmallVec::new(), -1), DEPTH),
            Term::And(v) => {
                let mut used = FactIndices::new();
                for x in v {
                    used = union(&used, &self.prove_literal(arena, x)?);
                }
                Some(used)
            }
            _ => None,
        }
    }

    fn prove_nonneg(&mut self, arena: &mut Arena, p: &Poly) -> Option<FactIndices> {
        let before = self.constraints.len();
        self.define_atoms(arena, p);
        if self.constraints.len() > before {
            self.define_all(arena);
            self.propagate(arena);
        }
        if let Some(u) = &self.contradiction {
            return Some(u.clone());
        }
        // A short search first: it finds most proofs before samples would pay.
        let found = self.nonneg_within(arena, p, DEPTH, QUICK_STEPS);
        if found.is_some() || self.steps == 0 {
            return found;
        }
        self.memo.clear_failures();
        let roots: Vec<TermId> = p.terms.iter().flat_map(|(m, _)| m.iter().copied()).collect();
        self.sample(arena, &roots);
        if self.samples.iter().any(|s| s.poly(p).is_some_and(|v| v < 0)) {
            return None;
        }
        self.nonneg(arena, p, DEPTH)
    }

    /// Proves the goal in both branches of an if-then-else, or under each member of a disjunction.
    fn by_cases(&mut self, arena: &mut Arena, goal: TermId, splits: u32) -> Option<FactIndices> {
        if splits == 0 {
            return None;
        }
        let near = self.near_atoms(arena, goal);
        let mut choices: Vec<TermId> =
            near.iter().copied().filter(|t| matches!(arena.get(*t), Term::Ite(..))).collect();
        // The innermost condition first: it decides the outer ones.
        choices.sort_unstable();
        choices.truncate(SPLIT_CHOICES);
        for n in choices {
            let Term::Ite(c, a, b) = *arena.get(n) else { continue };
            let no = arena.not(c);
            let mut used = FactIndices::new();
            let proved = [(c, a), (no, b)].into_iter().all(|(c, value)| {
                let mut literals = self.literals.clone();
                literals.push((c, FactIndices::new()));
                let found = self.branch(arena, literals, &[(n, value, FactIndices::new())], |s, arena| {
                    let (goal, u) = s.rewrite(arena, goal, &FactIndices::new());
                    Some(union(&s.prove_goal(arena, goal, splits - 1)?, &u))
                });
                if let Some(u) = &found {
                    used = union(&used, u);
                }
                found.is_some()
            });
            if proved {
                return Some(used);
            }
        }
        let disjunctions: Vec<(Vec<TermId>, FactIndices)> = self
            .disjunctions
            .iter()
            .filter(|(v, _)| v.len() <= MAX_CASES && arena.cone(v).iter().any(|t| near.contains(t)))
            .take(SPLIT_CHOICES)
            .cloned()
            .collect();
        for (members, why) in disjunctions {
            let mut used = why.clone();
            let proved = members.iter().all(|m| {
                let mut literals = self.literals.clone();
                literals.push((*m, why.clone()));
                let found = self.branch(arena, literals, &[], |s, arena| {
                    let (goal, u) = s.rewrite(arena, goal, &FactIndices::new());
                    Some(union(&s.prove_goal(arena, goal, splits - 1)?, &u))
                });
                if let Some(u) = &found {
                    used = union(&used, u);
                }
                found.is_some()
            });
            if proved {
                return Some(used);
            }
        }
        None
    }

    /// Returns the goal's subterms, and the atoms of constraints that share an atom with it.
    fn near_atoms(&self, arena: &Arena, goal: TermId) -> FxHashSet<TermId> {
        let mut near: FxHashSet<TermId> =
            arena.cone(&[goal]).into_iter().filter(|t| !matches!(arena.get(*t), Term::Int(_))).collect();
        for _ in 0..2 {
            let mut more = vec![];
            for k in &self.constraints {
                let atoms = || k.p.terms.iter().flat_map(|(m, _)| m.iter().copied());
                if atoms().any(|a| near.contains(&a)) {
                    more.extend(atoms());
                }
            }
            near.extend(more);
        }
        near
    }
}
