//! Loops: which variables a body changes, recurrences solved in closed form, invariants, and facts about every round.

pub(in crate::symbolic) mod accelerate;
pub(in crate::symbolic) mod array_fill;
mod candidates;
pub(in crate::symbolic) mod discover;
pub(in crate::symbolic) mod houdini;
pub(in crate::symbolic) mod initial_values;
pub mod prefix_sum;
pub mod quantified_facts;
pub(in crate::symbolic) mod recurrences;
pub(in crate::symbolic) mod sum;
pub(in crate::symbolic) mod summary;
mod transition;
pub(in crate::symbolic) mod types;
pub(in crate::symbolic) mod unroll;
