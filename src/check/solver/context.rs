//! Facts prepared once for several goals: first without how the host came to its numbers, then by the polynomial bound, then by Z3.
//!
//! In: facts, then goals. Out: answers. It owns the order in which provers are asked and nothing of how they work.

use super::abstraction::Opaque;
use super::entail;
use super::independence::Groups;
use super::poly::{Found, Prepared, Sought};
use super::query::{Answer, Free, Limits, Method, Model, WrapMode};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, TermId};

/// Facts prepared once for several goals: the obligations of one block share their path condition.
pub struct Context {
    facts: Vec<TermId>,
    mode: WrapMode,
    poly: Prepared,
    /// The goal before and what was said of it without Z3: callers ask for the bound first and for the rest later.
    last: Option<(TermId, Option<Answer>)>,
    /// The same facts without how the host came to its numbers.
    general: Option<Box<General>>,
}

/// Facts without how the host came to its numbers.
struct General {
    opaque: Opaque,
    context: Option<Context>,
}

impl Context {
    #[must_use]
    pub fn new(arena: &mut Arena, facts: &[TermId], mode: WrapMode) -> Self {
        let mut opaque = Opaque::default();
        opaque.note(arena, facts);
        Self {
            general: Some(Box::new(General { opaque, context: None })),
            ..Self::as_they_are(arena, facts.to_vec(), mode)
        }
    }

    fn as_they_are(arena: &mut Arena, facts: Vec<TermId>, mode: WrapMode) -> Self {
        Self { poly: Prepared::new(arena, &facts, mode), facts, mode, last: None, general: None }
    }

    /// Whether the goal follows from the facts: the polynomial bound, then Z3.
    pub fn prove(&mut self, arena: &mut Arena, goal: TermId, limits: &Limits, groups: &mut Groups) -> Answer {
        let less = Limits { work: limits.work / 4, ..*limits };
        if let Some(proof) = self.in_general(arena, goal, |c, a, g| Some(c.prove(a, g, &less, &mut Groups::default())))
        {
            return proof;
        }
        self.quick(arena, goal, limits)
            .unwrap_or_else(|| entail::prove(arena, &self.facts, goal, self.mode, limits, groups))
    }

    /// A proof that does not depend on how the host came to its numbers.
    fn in_general(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        ask: impl FnOnce(&mut Self, &mut Arena, TermId) -> Option<Answer>,
    ) -> Option<Answer> {
        let General { opaque, context } = &mut **self.general.as_mut()?;
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

    /// The polynomial bound alone: the facts of a proof and what is free in it, or nothing.
    pub fn bound(&mut self, arena: &mut Arena, goal: TermId, limits: &Limits) -> Option<(Vec<TermId>, Free)> {
        let answer =
            self.in_general(arena, goal, |c, a, g| c.quick(a, g, limits)).or_else(|| self.quick(arena, goal, limits));
        match answer {
            Some(Answer::Proved { used, free, .. }) => Some((used, free)),
            _ => None,
        }
    }

    /// Conditions over the terms that may stay from which the goal `t <= 0` follows where nothing wraps.
    pub(crate) fn conditions(
        &mut self,
        arena: &mut Arena,
        goal: TermId,
        stays: &dyn Fn(&Arena, TermId) -> bool,
        sought: Sought,
        limits: &Limits,
    ) -> Vec<Poly> {
        self.poly.conditions(arena, goal, stays, (sought, limits.steps))
    }

    /// What can be said without Z3: a proof by the polynomial bound, or a model that its search came across.
    pub fn quick(&mut self, arena: &mut Arena, goal: TermId, limits: &Limits) -> Option<Answer> {
        if let Some((g, answer)) = &self.last
            && *g == goal
        {
            return answer.clone();
        }
        let answer = self.quick_new(arena, goal, limits);
        self.last = Some((goal, answer.clone()));
        answer
    }

    fn quick_new(&mut self, arena: &mut Arena, goal: TermId, limits: &Limits) -> Option<Answer> {
        match self.poly.prove(arena, goal, limits.steps) {
            Found::Proof(used) => Some(Answer::Proved {
                by: Method::Poly,
                used: used.into_iter().map(|i| self.facts[i]).collect(),
                free: Free::default(),
            }),
            Found::Assignment(mut values) => {
                let mut want: Vec<(TermId, bool)> = self.facts.iter().map(|f| (*f, true)).collect();
                want.push((goal, false));
                let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
                let symbols = arena.symbols_of(&roots);
                values.retain(|s, _| symbols.binary_search(s).is_ok());
                let m = Model { values, ..Model::default() };
                let complete = symbols.iter().all(|s| m.values.contains_key(s));
                (complete && m.refuted(arena, &want, self.mode).is_none()).then_some(Answer::Model(m))
            }
            Found::Nothing => None,
        }
    }
}
