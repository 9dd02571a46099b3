//! The concrete interpreter: the independent judge of the symbolic engine.
//!
//! In: a linked [`crate::ir::Program`], a root function and concrete [`Inputs`]. Out: whether a given access is
//! reached out of bounds (`replay`), or every out-of-bounds access of the run (`enumerate`). It shares nothing
//! with `symbolic/`, `host/`, `kernel/` or `check/`: it must not know how a witness was found.
//!
//! Integers wrap as the machine's do; what is not computed is *poison* with a reason (module `value`); every object
//! is bounds-checked and lies in a window of the address space of its own (module `memory`).

mod api;

pub use api::{
    BadAccess, BlockThread, Budget, Inputs, Object, ObjectKind, Outcome, Run, Site, Target, Threads,
};

/// Reaches the target's access from the root under the inputs, or says why not.
#[must_use]
pub fn replay(_program: &crate::ir::Program, _root: crate::ir::FuncRef, _inputs: &Inputs, _target: &Target, _budget: &Budget) -> Outcome {
    Outcome::Incomplete { why: "the interpreter is not part of this build".into() }
}
