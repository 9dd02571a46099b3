//! Facts prepared once for several goals: tried first with host computations abstracted, then by the polynomial
//! bound, then by Z3.
//!
//! In: facts, then goals. Out: answers. The module decides only the order in which provers are asked.

use super::abstraction::OpaqueValues;
use super::entail;
use super::independence::GroupResults;
use super::poly::{ConditionGoals, PreparedFacts, SearchResult};
use super::query::{Answer, FreeTerms, Model, Prover, SolverLimits, WrapMode};
use super::recorded::{self, RecordedGoal};
use base::work::{Work, done};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Poly, TermId};

/// Facts prepared once for several goals: the obligations of one block share their path condition.
pub struct FactContext {
    facts: Vec<TermId>,
    mode: WrapMode,
    poly: PreparedFacts,
    /// Last goal and its answer without Z3: callers first ask for the polynomial bound alone and later for the rest.
    last: Option<(TermId, Option<Answer>)>,
    /// The same facts with host computations abstracted.
    general: Option<Box<AbstractedFacts>>,
}

/// Facts with host computations abstracted ([`OpaqueValues`]).
struct AbstractedFacts {
    opaque: OpaqueValues,
    context: Option<FactContext>,
}

impl FactContext {
    #[must_use]
    pub fn new(arena: &mut Arena, facts: &[TermId], mode: WrapMode) -> Self {
        let mut opaque = OpaqueValues::default();
        opaque.note(arena, facts);
        Self {
            general: Some(Box::new(AbstractedFacts { opaque, context: None })),
            ..Self::as_they_are(arena, facts.to_vec(), mode)
        }
    }

    fn as_they_are(arena: &mut Arena, facts: Vec<TermId>, mode: WrapMode) -> Self {
        Self { poly: PreparedFacts::new(arena, &facts, mode), facts, mode, last: None, general: None }
    }

    /// Decides whether the goal follows from the facts: by the polynomial bound, then by Z3.
    pub fn prove(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        limits: &SolverLimits,
        groups: &mut GroupResults,
    ) -> Answer {
        let start = done();
        let answer = self.prove_unrecorded(arena, goal, limits, groups);
        self.record(arena, goal, limits, start);
        answer
    }

    fn prove_unrecorded(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        limits: &SolverLimits,
        groups: &mut GroupResults,
    ) -> Answer {
        let less = SolverLimits { work: limits.work / 4, ..*limits };
        if let Some(proof) =
            self.in_general(arena, goal, |c, a, g| Some(c.prove(a, g, &less, &mut GroupResults::default())))
        {
            return proof;
        }
        self.quick(arena, goal, limits)
            .unwrap_or_else(|| entail::prove(arena, &self.facts, goal, self.mode, limits, groups))
    }

    /// Proves the goal with host computations abstracted.
    fn in_general(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        ask: impl FnOnce(&mut Self, &mut Arena, TermId) -> Option<Answer>,
    ) -> Option<Answer> {
        let AbstractedFacts { opaque, context } = &mut **self.general.as_mut()?;
        if opaque.note(arena, &[goal]) {
            *context = None;
        }
        if opaque.is_empty() {
            return None;
        }
        let goal = opaque.read(arena, goal);
        let context = context.get_or_insert_with(|| {
            let facts = self.facts.iter().map(|f| opaque.read(arena, *f)).collect();
            Self::as_they_are(arena, facts, self.mode)
        });
        let Answer::Proved { by, used, .. } = ask(context, arena, goal)? else { return None };
        let used = context.facts.iter().zip(&self.facts).filter(|(g, _)| used.contains(g)).map(|(_, f)| *f).collect();
        Some(Answer::Proved { by, used, free: opaque.terms() })
    }

    /// Tries the polynomial bound alone; returns the used facts and the free terms of a proof.
    pub fn bound(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        limits: &SolverLimits,
    ) -> Option<(Vec<TermId>, FreeTerms)> {
        let start = done();
        let answer =
            self.in_general(arena, goal, |c, a, g| c.quick(a, g, limits)).or_else(|| self.quick(arena, goal, limits));
        self.record(arena, goal, limits, start);
        match answer {
            Some(Answer::Proved { used, free, .. }) => Some((used, free)),
            _ => None,
        }
    }

    /// Returns bounds of a term under the facts, where nothing wraps.
    pub(crate) fn range(&self, arena: &Arena, t: TermId) -> Interval {
        self.poly.range(arena, t)
    }

    /// Writes a query down whose search began at `start`, unless it is a part of another one.
    fn record(&self, arena: &Arena, goal: TermId, limits: &SolverLimits, start: Work) {
        if self.general.is_some() {
            recorded::dump(arena, &self.facts, Some(goal), (self.mode, limits), start, |n| {
                RecordedGoal::Proof(n.term(goal))
            });
        }
    }

    /// Returns conditions over the terms that `stays` admits; together with the facts each implies the goal `t <= 0`
    /// where nothing wraps.
    pub(crate) fn conditions(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        stays: &dyn Fn(&Arena, TermId) -> bool,
        sought: ConditionGoals,
        limits: &SolverLimits,
    ) -> Vec<Poly> {
        self.poly.conditions(arena, goal, stays, (sought, limits.steps))
    }

    /// Answers without Z3: a proof by the polynomial bound, or a model that its search came across.
    pub fn quick(&mut self, arena: &mut Arena, goal: TermId, limits: &SolverLimits) -> Option<Answer> {
        if let Some((g, answer)) = &self.last
            && *g == goal
        {
            return answer.clone();
        }
        let answer = self.quick_new(arena, goal, limits);
        self.last = Some((goal, answer.clone()));
        answer
    }

    fn quick_new(&mut self, arena: &mut Arena, goal: TermId, limits: &SolverLimits) -> Option<Answer> {
        match self.poly.prove(arena, goal, limits.steps) {
            SearchResult::Proof(used) => Some(Answer::Proved {
                by: Prover::Poly,
                used: used.into_iter().map(|i| self.facts[i]).collect(),
                free: FreeTerms::default(),
            }),
            SearchResult::Assignment(mut values) => {
                let mut want: Vec<(TermId, bool)> = self.facts.iter().map(|f| (*f, true)).collect();
                want.push((goal, false));
                let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
                let symbols = arena.symbols_of(&roots);
                values.retain(|s, _| symbols.binary_search(s).is_ok());
                let m = Model { values, ..Model::default() };
                let complete = symbols.iter().all(|s| m.values.contains_key(s));
                (complete && m.refuted(arena, &want, self.mode).is_none()).then_some(Answer::Model(m))
            }
            SearchResult::Nothing => None,
        }
    }
}
