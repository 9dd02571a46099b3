//! Symbolic execution of the analysis form.
//!
//! In: a [`ir::Program`]. Out: [`exec::events::AccessEvent`]s and [`exec::events::LaunchEvent`]s over terms. This
//! module is independent of LLVM and Z3.

pub mod effects;
pub mod exec;
pub mod floors;
pub mod inputs;
pub mod kernel;
pub mod limits;
pub mod loops;
pub mod memory;
pub mod pointers;
pub mod terms;
