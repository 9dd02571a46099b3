//! The device side: what kernels call, and their symbolic execution under a launch.
//!
//! In: a kernel with the values of its parameters. Out: access events. It knows neither the shim nor Z3.

mod bits;
mod builtins;
mod intrinsics;
pub(crate) mod launch;

pub(crate) use builtins::Modelled;
pub use launch::KernelRun;
