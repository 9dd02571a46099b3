//! Terms over mathematical integers, and decisions about them without a solver.
//!
//! In: operations on terms of one arena. Out: canonical, hash-consed terms with ranges. `term` has the node types,
//! `arena` owns them, `simplify` and `boolean` build them, `interval` bounds them, `walk` and `eval` read them;
//! `bits` takes readings of bits apart,
//! `linear` decides entailment of linear comparisons, `floating` represents floating-point arithmetic as ratios with
//! errors. The module must not know programs.

pub mod arena;
mod bits;
mod boolean;
pub mod congruence;
pub mod display;
pub mod eval;
pub mod floating;
pub mod functions;
pub mod interval;
pub(in crate::symbolic) mod linear;
mod simplify;
pub mod term;
mod walk;
