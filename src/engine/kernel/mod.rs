//! The device side: functions that kernels call, and symbolic execution of kernels under a launch.
//!
//! In: a kernel with the values of its parameters. Out: access events. This module is independent of the shim and of
//! Z3.

mod bits;
pub(crate) mod builtins;
mod intrinsics;

use models::row::{Key, On};

/// Returns the functions and intrinsics of devices, and intrinsics of either side, that the executor models.
#[must_use]
pub fn keys() -> Vec<(On, Key)> {
    builtins::keys().map(|k| (On::Device, k)).chain(intrinsics::keys().map(|k| (On::of_intrinsic(&k), k))).collect()
}
