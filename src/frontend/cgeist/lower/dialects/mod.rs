//! One file for each dialect that cgeist prints.

pub(in crate::frontend) mod affine;
pub(in crate::frontend) mod arith;
pub(in crate::frontend) mod branches;
pub(in crate::frontend) mod calls;
pub(in crate::frontend) mod cuda;
pub(in crate::frontend) mod flow;
pub(in crate::frontend) mod llvm;
pub(in crate::frontend) mod memory;
