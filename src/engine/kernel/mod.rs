//! The device side: what kernels call, and their symbolic execution under a launch.
//!
//! In: a kernel with the values of its parameters. Out: access events. It knows neither the shim nor Z3.

mod bits;
pub(crate) mod builtins;
mod intrinsics;

use models::row::{Key, On};

/// The functions and intrinsics of devices, and intrinsics of either side, that the executor models.
#[must_use]
pub fn keys() -> Vec<(On, Key)> {
    builtins::keys().map(|k| (On::Device, k)).chain(intrinsics::keys().map(|k| (On::of_intrinsic(&k), k))).collect()
}
