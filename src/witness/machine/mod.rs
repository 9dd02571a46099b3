//! The machine: a register interpreter with bounds checks on every access.
//!
//! In: compiled functions and a thread. Out: memory as the program leaves it, and the events that an observer sees.
//! From below: `value` (a word, or the reason why it is unknown), `call` (how calls end), `form` (the instructions),
//! `thread`, `thrown`, `state` (the machine as models see it), then `operands`, `access`, `arith`, `asm`, `step`, `calls`, `unwind` and the loop in
//! `interp`. It must not know which access is the target, or why.

pub(crate) mod access;
pub(crate) mod arith;
pub(crate) mod asm;
pub(crate) mod call;
pub(crate) mod calls;
pub(crate) mod form;
pub(crate) mod interp;
mod operands;
pub(crate) mod state;
mod step;
pub(crate) mod thread;
pub(crate) mod thrown;
mod unwind;
pub(crate) mod value;
