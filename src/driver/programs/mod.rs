//! The programs that are checked: from sources, from the commands of a build, from facts that builds left behind.

pub(in crate::driver) mod architectures;
pub(in crate::driver) mod checking;
mod folders;
pub(in crate::driver) mod joined;
mod lost;
pub(in crate::driver) mod makefile;
pub(in crate::driver) mod pending;
pub(in crate::driver) mod sources;
pub(in crate::driver) mod stored;
pub(in crate::driver) mod tools;
pub(in crate::driver) mod unseen;
