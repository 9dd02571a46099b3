//! What follows the lowering of single operations: values in several blocks, empty blocks, functions that only copy.

pub(in crate::frontend) mod branches;
pub(in crate::frontend) mod copies;
pub(in crate::frontend) mod ssa;
pub(in crate::frontend) mod tidy;
