//! The machine: its state and its loop, arithmetic and accesses with bounds.

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
