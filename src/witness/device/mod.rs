//! Device side of a run: launches, blocks of threads, and built-ins of device code.

pub(crate) mod block;
pub(crate) mod builtins;
pub(crate) mod capture;
pub(crate) mod configuration;
pub(crate) mod inner_launches;
pub(crate) mod launch;
pub(crate) mod outcome;
pub(crate) mod shape;
mod tiles;
