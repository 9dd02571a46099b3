//! Queries to the solver and its answers: limits, models, outcomes.
//!
//! Plain data and the evaluation of models. The polynomial bound, Z3, the cache and the search for small models all
//! use it, so that they need not know each other.

use base::reasons::UnknownReason;
use base::work::{Allotment, Work};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Budget of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverLimits {
    /// Work that the whole call may do.
    pub work: Work,
    /// Steps that the polynomial bound may take.
    pub steps: u32,
    /// Whether to reduce the facts that a Z3 proof used to an unsatisfiable core: a second, cheap run.
    pub core: bool,
}

impl Default for SolverLimits {
    fn default() -> Self {
        Self { work: Work::seconds(5), steps: 400, core: false }
    }
}

/// Reading of [`Term::Wrap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrapMode {
    /// The value of its argument, which is assumed to be in range: the caller carries the range obligations.
    Assume,
    /// Reduction modulo 2^bits.
    Exact,
}

/// Prover that decided a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prover {
    Poly,
    Z3,
}

/// Terms that a proof treats as arbitrary values of their ranges.
pub type FreeTerms = Rc<FxHashSet<TermId>>;

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The goal follows from `used`, a subset of the facts (not always the least one), for all values of the terms
    /// `free` in them: the proof does not depend on how these are computed.
    Proved { by: Prover, used: Vec<TermId>, free: FreeTerms },
    /// A model of the facts that refutes the goal.
    Model(Model),
    /// Reason why the query is undecided.
    Unknown(UnknownReason),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ModelAnswer {
    Model(Model),
    Unsat,
    /// Reason why the query is undecided.
    Unknown(UnknownReason),
}

/// Values of symbols (booleans 0 and 1) and of uninterpreted functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Every symbol in the cone of the query.
    pub values: FxHashMap<SymId, i128>,
    /// Values of [`Term::Apply`] by function and arguments.
    pub applications: FxHashMap<(UninterpretedFunction, Vec<i128>), i128>,
    /// Index of the program's string that caller-given strings hold; no query constrains it.
    pub text: usize,
    /// Whole contents of files by number, where small runs choose them; no query constrains them.
    pub files: BTreeMap<u32, Arc<[u8]>>,
}

impl Model {
    /// Returns the value of a term under this model; `None` where the term has none or depends on symbols that the
    /// model lacks.
    #[must_use]
    pub fn value(&self, arena: &Arena, t: TermId, mode: WrapMode) -> Option<i128> {
        self.all_values(arena, &[t], mode).get(&t).copied().flatten()
    }

    /// Whether this model, by evaluation, satisfies the facts and not the goal. Symbols that the model lacks take the
    /// value of their range nearest to zero.
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

    /// Returns the first term whose value differs from the wanted one, with its value.
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

/// Symbols that a model should give at least 1: all `wished` ones, or only the `sizes` among them.
#[derive(Clone, Debug, Default)]
pub struct PositiveSymbols {
    pub wished: Vec<SymId>,
    pub sizes: Vec<SymId>,
}

/// Remaining part of a [`SolverLimits`].
pub(super) struct SolverBudget {
    all: Allotment,
}

impl SolverBudget {
    pub fn new(limits: &SolverLimits) -> Self {
        Self { all: Allotment::of(limits.work) }
    }
    /// Returns the remaining work, at most `most`.
    pub fn at_most(&self, most: Work) -> Work {
        self.all.left().min(most)
    }
    pub fn spent(&self) -> bool {
        self.all.is_spent()
    }
}

#[derive(Debug)]
pub(super) enum SolverOutcome {
    Unsat,
    Sat(Model),
    Unknown(UnknownReason),
}

/// Terms, each with the truth value it must have, and bounds on symbols.
pub(super) struct Query<'a> {
    pub want: &'a [(TermId, bool)],
    pub bounds: &'a [(SymId, Interval)],
    pub mode: WrapMode,
    /// Whether operations without value are excluded instead of having any value.
    pub strict: bool,
}
