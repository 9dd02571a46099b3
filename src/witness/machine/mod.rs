//! The machine: a register interpreter with bounds on every access.
//!
//! In: compiled functions and a thread. Out: memory as the program leaves it, and what an observer sees on the way. From below: `value` (a word
//! and why it is not known), `call` (how calls end), `form` (the instructions), `thread`, `state` (the machine as models get it), then `access`,
//! `arith`, `asm`, `step`, `calls` and the loop in `interp`. It must not know which access is sought, or why.

pub(in crate::witness) mod access;
pub(in crate::witness) mod arith;
pub(in crate::witness) mod asm;
pub(in crate::witness) mod call;
pub(in crate::witness) mod calls;
pub(in crate::witness) mod form;
pub(in crate::witness) mod interp;
pub(in crate::witness) mod state;
mod step;
pub(in crate::witness) mod thread;
pub(in crate::witness) mod value;
