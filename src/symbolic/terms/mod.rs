//! Terms over mathematical integers, and what is decided of them without a solver.

pub mod floating;
pub(in crate::symbolic) mod linear;
pub mod term;
