//! One file for each dialect that cgeist prints.

pub(crate) mod affine;
pub(crate) mod arith;
pub(crate) mod branches;
pub(crate) mod calls;
pub(crate) mod cuda;
pub(crate) mod flow;
pub(crate) mod llvm;
pub(crate) mod memory;
