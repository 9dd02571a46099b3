//! What follows the lowering of single operations: values in several blocks, empty blocks, functions that only copy.

pub(crate) mod branches;
pub(crate) mod copies;
pub(crate) mod ssa;
pub(crate) mod tidy;
