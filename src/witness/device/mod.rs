//! The device side of a run: launches, blocks of threads, and what device code finds built in.

pub(in crate::witness) mod block;
pub(in crate::witness) mod builtins;
pub(in crate::witness) mod capture;
pub(in crate::witness) mod launch;
pub(in crate::witness) mod outcome;
pub(in crate::witness) mod shape;
mod tiles;
