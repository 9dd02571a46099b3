//! Decides `facts ⊢ goal` over mathematical integers, and finds small models.
//!
//! In: boolean terms of an [`Arena`]. Out: a proof with the facts it used, a model, or the reason for neither. The
//! module is independent of kernels, hosts and launches.
//!
//! The polynomial bound ([`poly`]) comes first and decides most row-major indices at once; Z3 comes second
//! ([`entail`], [`smt`]). A proof shows that no assignment of the symbols makes every fact surely true and the goal
//! surely false ([`Arena::eval_under`]). In a proof, division by zero and `2^n` outside 0..=126 may have any value;
//! in a model they have none.

pub(crate) mod abstraction;
pub(crate) mod boundary;
pub mod cache;
mod canonical;
mod context;
mod corners;
mod encode;
mod entail;
mod enumerate;
pub(crate) mod independence;
pub(crate) mod minimise;
mod poly;
mod query;
pub mod recorded;
mod smt;

pub use self::context::FactContext;
pub use self::corners::model_at_corners;
pub use self::independence::GroupResults;
pub(crate) use self::poly::{ConditionGoals, LARGEST};
pub use self::query::{Answer, FreeTerms, Model, ModelAnswer, PositiveSymbols, Prover, SolverLimits, WrapMode};
use self::recorded::RecordedGoal;
use base::work::done;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, TermId};

/// Decides whether `goal` follows from the facts: by the polynomial bound first, then by Z3 for `facts ∧ ¬goal`.
pub fn prove(arena: &mut Arena, facts: &[TermId], goal: TermId, mode: WrapMode, limits: &SolverLimits) -> Answer {
    FactContext::new(arena, facts, mode).prove(arena, goal, limits, &mut GroupResults::default())
}

/// Finds a model of the facts with small values. The first attempts require every symbol of `positive` to be at least
/// 1 and bound the magnitude of the symbols of `prefer_small` (program inputs) by 1, 2, 3, 4, 8, 16, …; then the
/// values are reduced one by one.
pub fn find_model(
    arena: &Arena,
    facts: &[TermId],
    prefer_small: &[SymId],
    positive: &PositiveSymbols,
    mode: WrapMode,
    limits: &SolverLimits,
    groups: &mut GroupResults,
) -> ModelAnswer {
    let start = done();
    let answer = groups.find(arena, facts, prefer_small, positive, mode, limits);
    recorded::dump(arena, facts, None, (mode, limits), start, |n| RecordedGoal::model(n, prefer_small, positive));
    answer
}

#[cfg(test)]
mod tests;
