//! Passes after the lowering of single operations: SSA construction, removal of empty blocks, recognition of copy
//! functions.

pub(crate) mod branches;
pub(crate) mod copies;
pub(crate) mod ssa;
pub(crate) mod tidy;
