//! The device side: models of the functions and intrinsics that kernels call (intrinsics also on the host);
//! `symbolic/kernel/` executes kernels under a launch.
//!
//! In: a call with its arguments and the state. Out: its result and the state after it, with its accesses as events.
//! This module is independent of the shim and of Z3.

mod bits;
pub(crate) mod builtins;
pub(crate) mod collectives;
pub(crate) mod intrinsics;

use models::row::{CallSide, NameKey};

/// Returns the functions and intrinsics of devices, and intrinsics of either side, that the executor models.
#[must_use]
pub fn keys() -> Vec<(CallSide, NameKey)> {
    builtins::keys()
        .chain(collectives::keys())
        .map(|k| (CallSide::Device, k))
        .chain(intrinsics::keys().map(|k| (CallSide::of_intrinsic(&k), k)))
        .collect()
}
