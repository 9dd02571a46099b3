//! The check of one program in a process and a thread of its own.

pub(in crate::driver) mod guarded;
pub mod memory;
pub(in crate::driver) mod parcel;
pub(in crate::driver) mod process;
