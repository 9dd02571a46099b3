//! Decides `facts ⊢ goal` over mathematical integers, and finds small models.
//!
//! In: boolean terms of an [`Arena`]. Out: a proof with the facts it used, a model, or why neither. It knows nothing
//! of kernels, hosts and launches.
//!
//! First the polynomial bound ([`poly`]), which decides most row-major indices at once, then Z3 ([`entail`], [`smt`]). What is
//! proved is: no assignment of the symbols makes every fact surely true and the goal surely false
//! ([`Arena::eval_under`]); division by zero and `2^n` outside 0..=126 may have any value in a proof, and have none
//! in a model.

pub(crate) mod abstraction;
pub(crate) mod boundary;
pub mod cache;
mod canonical;
mod context;
mod encode;
mod entail;
mod enumerate;
pub(crate) mod independence;
pub(crate) mod minimise;
mod poly;
mod query;
mod smt;

pub use self::context::Context;
pub use self::independence::Groups;
pub(crate) use self::poly::{LARGEST, Sought};
pub use self::query::{Answer, Free, Limits, Method, Model, ModelAnswer, Positive, WrapMode};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{SymId, TermId};

/// Whether `goal` follows from the facts: the polynomial bound first, then Z3 for `facts ∧ ¬goal`.
pub fn prove(arena: &mut Arena, facts: &[TermId], goal: TermId, mode: WrapMode, limits: &Limits) -> Answer {
    Context::new(arena, facts, mode).prove(arena, goal, limits, &mut Groups::default())
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
