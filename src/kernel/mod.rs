//! The device side: what kernels call, and their symbolic execution under a launch.
//!
//! In: a kernel with the values of its parameters. Out: access events. It knows neither the shim nor Z3.

mod bits;
pub(crate) mod builtins;
mod intrinsics;
