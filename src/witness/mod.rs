//! The concrete interpreter: the independent judge of the symbolic engine.
//!
//! In: a linked [`crate::ir::Program`], a root function and concrete [`Inputs`]. Out: whether a given access is
//! reached out of bounds ([`replay`]), or every out-of-bounds access of the run ([`enumerate`]). It shares nothing
//! with `symbolic/`, `host/`, `kernel/` or `check/`: it must not know how a witness was found.
//!
//! Integers wrap as the machine's do; what is not computed is *poison* with a reason (module `value`); every object
//! is bounds-checked and lies in a window of the address space of its own (module `memory`).

mod access;
mod api;
mod asm;
mod block;
mod code;
mod compile;
mod cuda;
mod cxx;
mod device;
mod effects;
mod ends;
mod flow;
mod format;
mod getopt;
mod globals;
mod interp;
mod launch;
mod libc;
mod machine;
mod math;
mod memory;
mod models;
mod numbers;
mod observe;
mod ops;
mod parts;
mod random;
mod replay;
mod runs;
mod skip;
mod snapshot;
mod stdio;
mod store;
mod string;
mod value;

pub use api::{
    BadAccess, BlockThread, Budget, Fault, Inputs, Object, ObjectKind, Outcome, PartBounds, Parts, Run, Site, Target,
    Threads,
};
pub use replay::{Patience, Spend, access_sites, enumerate, replay, replay_after, replay_with_snapshot};
pub use snapshot::{Image, Snapshot, SnapshotObject};
