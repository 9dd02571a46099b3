//! What is asked of the solver and what it answers: queries, limits, models, outcomes.
//!
//! Plain data and the evaluation of models. It lies below all that searches, so that the polynomial bound, Z3, the cache and the search for
//! small models need not know each other.

use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::functions::Function;
use engine::symbolic::terms::interval::Range;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
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
    Unknown(UnknownReason),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ModelAnswer {
    Model(Model),
    Unsat,
    /// Why it could not be decided.
    Unknown(UnknownReason),
}

/// Values of symbols (booleans 0 and 1) and of uninterpreted functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Every symbol in the cone of the query.
    pub values: FxHashMap<SymId, i128>,
    /// Values of [`Term::Apply`] by function and arguments.
    pub applications: FxHashMap<(Function, Vec<i128>), i128>,
    /// Which of the program's texts strings hold that a caller gives: no query asks for them.
    pub text: usize,
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

    pub(super) fn all_values(
        &self,
        arena: &Arena,
        roots: &[TermId],
        mode: WrapMode,
    ) -> FxHashMap<TermId, Option<i128>> {
        arena.eval_under(
            roots,
            &Valuation {
                symbols: &|s| self.values.get(&s).copied(),
                apply: &|t, args| match arena.get(t) {
                    Term::Apply { function, .. } => self.applications.get(&(*function, args.to_vec())).copied(),
                    _ => None,
                },
                wraps: mode == WrapMode::Exact,
            },
        )
    }

    /// The first term that does not have the value asked for, with the value it has.
    pub(super) fn refuted(
        &self,
        arena: &Arena,
        want: &[(TermId, bool)],
        mode: WrapMode,
    ) -> Option<(TermId, Option<i128>)> {
        let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
        let values = self.all_values(arena, &roots, mode);
        want.iter().find_map(|(t, truth)| {
            let v = values.get(t).copied().flatten();
            (v != Some(i128::from(*truth))).then_some((*t, v))
        })
    }
}

/// Symbols that a model had better give at least 1: all that are wished, else those that are sizes.
#[derive(Clone, Debug, Default)]
pub struct Positive {
    pub wished: Vec<SymId>,
    pub sizes: Vec<SymId>,
}

/// What is left of a [`Limits`].
pub(super) struct Budget {
    all: Allotment,
}

impl Budget {
    pub fn new(limits: &Limits) -> Self {
        Self { all: Allotment::of(limits.work) }
    }
    /// What is left, at most `most`.
    pub fn at_most(&self, most: Work) -> Work {
        self.all.left().min(most)
    }
    pub fn spent(&self) -> bool {
        self.all.is_spent()
    }
}

#[derive(Debug)]
pub(super) enum Outcome {
    Unsat,
    Sat(Model),
    Unknown(UnknownReason),
}

/// Terms with the truth each must have, and bounds on symbols.
pub(super) struct Query<'a> {
    pub want: &'a [(TermId, bool)],
    pub bounds: &'a [(SymId, Range)],
    pub mode: WrapMode,
    /// Operations without value are excluded instead of having any value.
    pub strict: bool,
}
