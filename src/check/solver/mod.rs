//! Decides `facts ⊢ goal` over mathematical integers, and finds small models.
//!
//! In: boolean terms of an [`Arena`]. Out: a proof with the facts it used, a model, or why neither. It knows nothing
//! of kernels, hosts and launches.
//!
//! First the polynomial bound ([`poly`]), which decides most row-major indices at once, then Z3 ([`smt`]). What is
//! proved is: no assignment of the symbols makes every fact surely true and the goal surely false
//! ([`Arena::eval_under`]); division by zero and `2^n` outside 0..=126 may have any value in a proof, and have none
//! in a model.

pub(in crate::check) mod abstraction;
pub(in crate::check) mod boundary;
pub mod cache;
mod encode;
mod enumerate;
pub(in crate::check) mod independence;
pub(in crate::check) mod minimise;
mod poly;
mod smt;

pub use self::independence::Groups;
use crate::symbolic::terms::term::{Arena, SymId, Term, TermId, Valuation};
use crate::work::Work;
use poly::Found;
use rustc_hash::{FxHashMap, FxHashSet};
pub use smt::OUT_OF_WORK;
use std::rc::Rc;

/// Budget of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// All that it does together.
    pub work: Work,
    /// Steps of the polynomial bound.
    pub steps: u32,
    /// Reduce the facts that a Z3 proof used to an unsatisfiable core: a second, cheap run.
    pub core: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { work: Work::seconds(5), steps: 400, core: false }
    }
}

/// How [`Term::Wrap`] is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrapMode {
    /// As its argument, which is in range: the caller carries the range obligations.
    Assume,
    /// As reduction modulo 2^bits.
    Exact,
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    Poly,
    Z3,
}

/// Terms that a proof takes as any numbers of their ranges.
pub type Free = Rc<FxHashSet<TermId>>;

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The goal follows from `used`, a subset of the facts (not always the least one), whatever the terms `free` in them are: how those come
    /// about has no part in the proof.
    Proved { by: Method, used: Vec<TermId>, free: Free },
    /// The facts hold and the goal does not.
    Model(Model),
    /// Why it could not be decided.
    Unknown(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ModelAnswer {
    Model(Model),
    Unsat,
    /// Why it could not be decided.
    Unknown(String),
}

/// Values of symbols (booleans 0 and 1) and of uninterpreted functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Every symbol in the cone of the query.
    pub values: FxHashMap<SymId, i128>,
    /// Values of [`Term::Apply`] by name and arguments.
    pub applications: FxHashMap<(String, Vec<i128>), i128>,
}

impl Model {
    /// Value of a term under this model. `None` where it has none, or depends on symbols the model lacks.
    #[must_use]
    pub fn value(&self, arena: &Arena, t: TermId, mode: WrapMode) -> Option<i128> {
        self.all_values(arena, &[t], mode).get(&t).copied().flatten()
    }

    /// Whether this model, by evaluation, satisfies the facts and not the goal. Symbols that it lacks are as near to zero
    /// as they may be.
    #[must_use]
    pub fn refutes(&self, arena: &Arena, facts: &[TermId], goal: TermId, mode: WrapMode) -> bool {
        let want: Vec<(TermId, bool)> = facts.iter().map(|f| (*f, true)).chain([(goal, false)]).collect();
        let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
        let mut whole = self.clone();
        for s in arena.symbols_of(&roots) {
            let r = arena.symbol(s).range;
            whole.values.entry(s).or_insert_with(|| 0.max(r.lo.unwrap_or(0)).min(r.hi.unwrap_or(i128::MAX)));
        }
        whole.refuted(arena, &want, mode).is_none()
    }

    fn all_values(&self, arena: &Arena, roots: &[TermId], mode: WrapMode) -> FxHashMap<TermId, Option<i128>> {
        arena.eval_under(
            roots,
            &Valuation {
                symbols: &|s| self.values.get(&s).copied(),
                apply: &|t, args| match arena.get(t) {
                    Term::Apply { name, .. } => self.applications.get(&(name.clone(), args.to_vec())).copied(),
                    _ => None,
                },
                wraps: mode == WrapMode::Exact,
            },
        )
    }

    /// The first term that does not have the value asked for, with the value it has.
    fn refuted(&self, arena: &Arena, want: &[(TermId, bool)], mode: WrapMode) -> Option<(TermId, Option<i128>)> {
        let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
        let values = self.all_values(arena, &roots, mode);
        want.iter().find_map(|(t, truth)| {
            let v = values.get(t).copied().flatten();
            (v != Some(i128::from(*truth))).then_some((*t, v))
        })
    }
}

/// Facts prepared once for several goals: the obligations of one block share their path condition.
pub struct Context {
    facts: Vec<TermId>,
    mode: WrapMode,
    poly: poly::Prepared,
    /// The goal before and what was said of it without Z3: callers ask for the bound first and for the rest later.
    last: Option<(TermId, Option<Answer>)>,
    /// The same facts without how the host came to its numbers.
    general: Option<Box<General>>,
}

/// Facts without how the host came to its numbers.
struct General {
    opaque: abstraction::Opaque,
    context: Option<Context>,
}

impl Context {
    #[must_use]
    pub fn new(arena: &mut Arena, facts: &[TermId], mode: WrapMode) -> Self {
        let mut opaque = abstraction::Opaque::default();
        opaque.note(arena, facts);
        Self {
            general: Some(Box::new(General { opaque, context: None })),
            ..Self::as_they_are(arena, facts.to_vec(), mode)
        }
    }

    fn as_they_are(arena: &mut Arena, facts: Vec<TermId>, mode: WrapMode) -> Self {
        Self { poly: poly::Prepared::new(arena, &facts, mode), facts, mode, last: None, general: None }
    }

    /// Whether the goal follows from the facts: the polynomial bound, then Z3.
    pub fn prove(&mut self, arena: &mut Arena, goal: TermId, limits: &Limits, groups: &mut Groups) -> Answer {
        let less = Limits { work: limits.work / 4, ..*limits };
        if let Some(proof) = self.in_general(arena, goal, |c, a, g| Some(c.prove(a, g, &less, &mut Groups::default())))
        {
            return proof;
        }
        self.quick(arena, goal, limits)
            .unwrap_or_else(|| smt::prove(arena, &self.facts, goal, self.mode, limits, groups))
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

/// Whether `goal` follows from the facts: the polynomial bound first, then Z3 for `facts ∧ ¬goal`.
pub fn prove(arena: &mut Arena, facts: &[TermId], goal: TermId, mode: WrapMode, limits: &Limits) -> Answer {
    Context::new(arena, facts, mode).prove(arena, goal, limits, &mut Groups::default())
}

/// Symbols that a model had better give at least 1: all that are wished, else those that are sizes.
#[derive(Clone, Debug, Default)]
pub struct Positive {
    pub wished: Vec<SymId>,
    pub sizes: Vec<SymId>,
}

/// A model of the facts with small values: first with every symbol of `positive` at least 1, and the magnitude of those of
/// `prefer_small` (program inputs) bounded by 1, 2, 3, 4, 8, 16, …; then made smaller one by one.
pub fn find_model(
    arena: &Arena,
    facts: &[TermId],
    prefer_small: &[SymId],
    positive: &Positive,
    mode: WrapMode,
    limits: &Limits,
    groups: &mut Groups,
) -> ModelAnswer {
    groups.find(arena, facts, prefer_small, positive, mode, limits)
}

#[cfg(test)]
mod tests;
