//! Programs to check: from sources, from the commands of a build, and from the facts of builds.

pub(crate) mod architectures;
pub(crate) mod as_built;
pub(crate) mod checking;
pub(crate) mod folders;
pub(crate) mod joined;
mod lost;
pub(crate) mod makefile;
pub(crate) mod pending;
pub(crate) mod scope;
pub mod sources;
pub(crate) mod stored;
pub(crate) mod tools;
pub(crate) mod unseen;
