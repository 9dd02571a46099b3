//! Terms over mathematical integers, and what is decided of them without a solver.

mod arena;
mod boolean;
mod eval;
pub mod floating;
mod interval;
pub(in crate::symbolic) mod linear;
mod polynomial;
mod simplify;
pub mod term;
mod walk;
