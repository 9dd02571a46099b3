//! The check of one program in a process and a thread of its own.

pub(crate) mod guarded;
pub mod memory;
pub(crate) mod parcel;
pub(crate) mod process;
