//! Checks one program in its own process and thread.

pub(crate) mod guarded;
pub mod memory;
pub(crate) mod parcel;
pub(crate) mod process;
