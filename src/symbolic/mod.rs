//! Symbolic execution of the analysis form, shared by `host/` and `kernel/`.
//!
//! In: a [`crate::ir::Program`]. Out: obligations over [`term`]s. It knows neither LLVM nor Z3.

pub mod term;
