//! Loops: variables that a body changes, recurrences solved in closed form, invariants, and facts about every
//! iteration.
//!
//! In: a loop and the states that enter it. Out: the states that leave it. [`summary`] runs the steps: `discover`
//! (transition of one iteration), `accelerate` (recurrence solvers in order: `recurrences` with `quotients` and
//! `alternating`, `array_fill`, `block_fill`, `prefix_sum`, `products`, `rotation`, `sum`), `unroll` (small constant trip counts),
//! `houdini` with its `candidates` (invariants), `quantified_facts` (checks made in every iteration) with
//! `iteration_values`, `highest_bit` (bounds after a search for the highest bit that is set). `compared_elements`
//! (comparisons of arrays) and `product_facts` belong to the facts. The module must not know kernels or hosts.
//!
//! To add a recurrence: write a solver from `(start, symbol, next)` to a [`types::Form`], and call it in `accelerate`
//! at its place in the order.

pub(in crate::symbolic) mod accelerate;
mod alternating;
pub(in crate::symbolic) mod array_fill;
mod back_edge;
mod block_fill;
mod candidates;
pub mod compared_elements;
pub(in crate::symbolic) mod discover;
mod dump;
mod highest_bit;
pub(in crate::symbolic) mod houdini;
pub(in crate::symbolic) mod initial_values;
mod iteration_values;
pub mod prefix_sum;
pub mod product_facts;
pub mod products;
pub mod quantified_facts;
mod quotients;
pub(in crate::symbolic) mod recurrences;
mod rotation;
pub(in crate::symbolic) mod sum;
pub(in crate::symbolic) mod summary;
mod transition;
pub(in crate::symbolic) mod types;
pub(in crate::symbolic) mod unroll;
mod untouched_members;
