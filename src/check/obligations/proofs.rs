//! Memory of proofs and refutations, by families of goals.
//!
//! Goals `x + c <= 0` that differ by the constant `c` form a family: a proof of one shows all weaker ones from the
//! same facts, and a model that refutes one refutes all stronger ones. In: facts and a goal. Out: an answer, from
//! memory, from the polynomial bound or from the solver.

use super::decide::{Decider, Search};
use super::relevance::strongest;
use crate::solver::{self, Answer, FactContext, FreeTerms, SolverLimits, WrapMode};
use base::reasons::UnknownReason;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Term, TermId};

/// Proof of `x + constant <= 0`: facts, and the free terms of the proof. For goals of another form the constant is 0.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    pub constant: i128,
    pub used: Vec<TermId>,
    pub free: FreeTerms,
}

/// Most proofs and models that are kept for each family of goals that differ by a constant.
const OF_A_FAMILY: usize = 8;

/// Most prepared sets of facts that are kept.
const CONTEXTS: usize = 8;

impl Search<'_> {
    /// Whether there is a proof without Z3 that reads wraps modulo 2^n.
    pub(super) fn bound_exactly(&mut self, a: &mut Arena, all: TermId, facts: &[TermId], goal: TermId) -> bool {
        let limits = SolverLimits { steps: self.limits.steps / 4, ..self.limits };
        // Goals that do not follow from these are tried without wraps next, from all facts.
        if let Some((near, together)) = self.decider.relevant(a, facts, goal) {
            return self.decider.context(a, together, &near, WrapMode::Exact).bound(a, goal, &limits).is_some();
        }
        self.decider.context(a, all, facts, WrapMode::Exact).bound(a, goal, &limits).is_some()
    }

    /// Proves a goal without Z3 from these facts (`all` is their conjunction).
    pub(super) fn bound(
        &mut self,
        a: &mut Arena,
        all: TermId,
        facts: &[TermId],
        goal: TermId,
    ) -> Option<(Vec<TermId>, FreeTerms)> {
        if let Some(proof) = self.decider.proof_of(a, facts, goal) {
            return Some(proof);
        }
        if let Some(proof) = self.bound_by_relevant(a, facts, goal) {
            return Some(proof);
        }
        let proof = self.decider.context(a, all, facts, WrapMode::Assume).bound(a, goal, &self.limits)?;
        self.decider.remember(a, goal, proof.clone());
        Some(proof)
    }

    /// Proves a goal from the relevant facts, where these are a small part of all facts.
    fn bound_by_relevant(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<(Vec<TermId>, FreeTerms)> {
        let (near, together) = self.decider.relevant(a, facts, goal)?;
        let proof = self.decider.context(a, together, &near, WrapMode::Assume).bound(a, goal, &self.limits)?;
        self.decider.remember(a, goal, proof.clone());
        Some(proof)
    }

    /// Returns limits that end with the allotments of all proof searches.
    pub(super) fn within(&self, limits: SolverLimits) -> SolverLimits {
        SolverLimits { work: limits.work.min(self.proofs.min(self.until).left()), ..limits }
    }

    pub(super) fn prove(
        &mut self,
        a: &mut Arena,
        all: TermId,
        facts: &[TermId],
        goal: TermId,
        limits: &SolverLimits,
    ) -> Answer {
        if let Some((used, free)) = self.decider.proof_of(a, facts, goal) {
            return Answer::Proved { by: solver::Prover::Poly, used, free };
        }
        let (family, _) = family(a, goal);
        let mut known = self.decider.refuting.get(&family).into_iter().flatten();
        if let Some(m) = known.find(|m| m.refutes(a, facts, goal, WrapMode::Assume)) {
            return Answer::Model(m.clone());
        }
        if self.decider.hopeless.get(&(all, goal)).is_some_and(|tried| *tried >= limits.work) {
            self.cut = true;
            return Answer::Unknown(UnknownReason::SolverWork);
        }
        if let Some((used, free)) = self.bound_by_relevant(a, facts, goal) {
            return Answer::Proved { by: solver::Prover::Poly, used, free };
        }
        let mut groups = std::mem::take(&mut self.decider.groups);
        let limits = self.within(*limits);
        let answer = self.decider.context(a, all, facts, WrapMode::Assume).prove(a, goal, &limits, &mut groups);
        self.decider.groups = groups;
        match &answer {
            Answer::Proved { used, free, .. } => self.decider.remember(a, goal, (used.clone(), free.clone())),
            Answer::Unknown(_) => {
                self.cut = true;
                self.decider.hopeless.insert((all, goal), limits.work);
            }
            Answer::Model(m) => {
                let known = self.decider.refuting.entry(family).or_default();
                if known.len() < OF_A_FAMILY {
                    known.push(m.clone());
                }
            }
        }
        answer
    }
}

impl Decider {
    pub(super) fn proof_of(&self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<(Vec<TermId>, FreeTerms)> {
        let (family, constant) = family(a, goal);
        let proof = self
            .proofs
            .get(&family)?
            .iter()
            .find(|p| p.constant >= constant && p.used.iter().all(|u| facts.contains(u)))?;
        Some((proof.used.clone(), proof.free.clone()))
    }

    pub(super) fn remember(&mut self, a: &mut Arena, goal: TermId, (used, free): (Vec<TermId>, FreeTerms)) {
        let (family, constant) = family(a, goal);
        let known = self.proofs.entry(family).or_default();
        // A weaker proof that needs at least the same facts is redundant.
        known.retain(|p| !(p.constant <= constant && used.iter().all(|u| p.used.contains(u))));
        if known.len() < OF_A_FAMILY {
            known.push(Proof { constant, used, free });
        }
    }

    /// Returns the facts prepared for proofs.
    pub(super) fn context(&mut self, a: &mut Arena, all: TermId, facts: &[TermId], mode: WrapMode) -> &mut FactContext {
        let entry = match self.contexts.iter().position(|c| c.0 == (all, mode)) {
            Some(i) => self.contexts.remove(i),
            None => {
                if self.contexts.len() >= CONTEXTS {
                    self.contexts.remove(0);
                }
                let facts = strongest(a, facts);
                ((all, mode), FactContext::new(a, &facts, mode))
            }
        };
        self.contexts.push(entry);
        let last = self.contexts.len() - 1;
        &mut self.contexts[last].1
    }
}

/// Returns the common part of goals that differ by a constant, and this goal's constant; the goal itself and 0 where
/// it is no `x + constant <= 0`.
pub(super) fn family(a: &mut Arena, goal: TermId) -> (TermId, i128) {
    let Term::Le(t) = *a.get(goal) else { return (goal, 0) };
    let constant = a.constant_of(t);
    (a.add_const(t, -constant), constant)
}

#[cfg(test)]
mod tests {
    use super::super::decide::{Decider, DecisionAttempt};
    use super::family;
    use crate::solver::{Answer, FreeTerms};
    use base::work::Work;
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind, TermId};

    /// A number, and the goal or fact that it is at most so much.
    fn at_most(a: &mut Arena, x: TermId, most: i128) -> TermId {
        let most = a.int(most);
        a.le(x, most)
    }

    fn number(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::of_int(32, true))
    }

    #[test]
    fn goals_of_a_family_differ_by_a_constant_alone() {
        let mut a = Arena::new();
        let (x, y) = (number(&mut a, "x"), number(&mut a, "y"));
        let goals = [3, 8].map(|most| at_most(&mut a, x, most));
        let [three, eight] = goals.map(|goal| family(&mut a, goal));
        assert_eq!(three.0, eight.0);
        // `x - 3 <= 0` is the stronger one: its constant is larger.
        assert_eq!(three.1 - eight.1, 5);
        let other = at_most(&mut a, y, 3);
        assert_ne!(family(&mut a, other).0, three.0);
        let same = a.eq(x, y);
        assert_eq!(family(&mut a, same), (same, 0));
    }

    /// A proof is forgotten only for one that shows at least as much from no other facts.
    #[test]
    fn a_proof_is_kept_beside_another_that_does_not_replace_it() {
        let mut a = Arena::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| number(&mut a, n));
        let [f, g] = [y, z].map(|t| at_most(&mut a, t, 0));
        let [strong, weak, weakest] = [3, 8, 9].map(|most| at_most(&mut a, x, most));
        let proof = |used: &[TermId]| (used.to_vec(), FreeTerms::default());
        for (first, second, kept) in [
            ((strong, vec![f]), (weak, vec![g]), 2),
            ((weak, vec![f]), (strong, vec![g]), 2),
            ((weak, vec![f]), (strong, vec![f]), 1),
            ((weak, vec![f, g]), (strong, vec![f]), 1),
            ((weak, vec![f]), (strong, vec![f, g]), 2),
            ((strong, vec![f]), (weak, vec![f, g]), 2),
        ] {
            let mut d = Decider::default();
            d.remember(&mut a, first.0, proof(&first.1));
            d.remember(&mut a, second.0, proof(&second.1));
            let family = family(&mut a, weak).0;
            assert_eq!(d.proofs[&family].len(), kept, "{first:?}, then {second:?}");
            for (goal, used) in [&first, &second] {
                // Each still shows its goal and weaker ones, from its facts and more.
                assert!(d.proof_of(&mut a, used, *goal).is_some() && d.proof_of(&mut a, &[f, g], weakest).is_some());
                assert!(d.proof_of(&mut a, &[], *goal).is_none());
            }
            let below = at_most(&mut a, x, 2);
            assert!(d.proof_of(&mut a, &[f, g], below).is_none());
        }
    }

    /// A search that was cut off is repeated with more work alone.
    #[test]
    fn a_hopeless_search_is_repeated_with_more_work() {
        let mut a = Arena::new();
        let (x, y) = (number(&mut a, "x"), number(&mut a, "y"));
        let (fact, goal) = (a.le(x, y), at_most(&mut a, x, 5));
        for (tried, cut) in [(Work::millis(1), false), (Work::seconds(5), true), (Work::seconds(6), true)] {
            let mut d = Decider::default();
            d.hopeless.insert((fact, goal), tried);
            let mut search = d.search(DecisionAttempt::default().with_work(Work::seconds(5)));
            let limits = search.limits;
            let answer = search.prove(&mut a, fact, &[fact], goal, &limits);
            assert_eq!(matches!(answer, Answer::Unknown(_)), cut);
            assert_eq!(search.cut, cut);
        }
    }
}
