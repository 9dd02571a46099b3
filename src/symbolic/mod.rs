//! Symbolic execution of the analysis form, shared by `host/` and `kernel/`.
//!
//! In: a [`crate::ir::Program`]. Out: [`exec::AccessEvent`]s and [`exec::LaunchEvent`]s over [`term`]s. It knows
//! neither LLVM nor Z3.

mod access;
pub mod alignment;
mod alone;
pub mod always;
mod anew;
pub mod assumptions;
pub mod budget;
mod calls;
pub mod cfg;
mod closed;
mod effects;
pub mod effort;
pub mod exchange;
pub mod exec;
mod fills;
pub mod footprint;
mod inductive;
mod join;
pub mod kept;
pub mod layers;
pub mod lifetime;
mod linear;
mod loops;
pub mod memory;
mod missed;
pub mod names;
mod ops;
pub mod options;
pub mod origins;
pub mod partition;
pub(crate) mod reached;
pub mod reals;
pub mod running;
pub(crate) mod runtime;
pub(crate) mod scarce;
mod several;
mod spared;
mod starts;
mod sums;
pub mod term;
pub mod texts;
mod throws;
pub mod value;
