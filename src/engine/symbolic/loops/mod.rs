//! Loops: which variables a body changes, recurrences solved in closed form, invariants, and facts about every round.
//!
//! In: a loop and the states that enter it. Out: the states that leave it. [`summary`] goes through the steps: `discover` (the transition of one
//! round), `accelerate` (recurrence solvers in order: `recurrences` with `alternating`, `array_fill`, `prefix_sum`, `sum`), `unroll` (small constant counts), `houdini`
//! with its `candidates` (invariants), `quantified_facts` (what every round checked). It must not know kernels or hosts.
//!
//! To add a recurrence: a solver from `(start, symbol, next)` to a [`types::Form`], called in `accelerate` where it belongs in the order.

pub(in crate::symbolic) mod accelerate;
mod alternating;
pub(in crate::symbolic) mod array_fill;
mod candidates;
pub(in crate::symbolic) mod discover;
mod dump;
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
