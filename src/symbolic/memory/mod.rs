//! The abstract memory: objects, cells, arrays of writes, lifetimes and parts; loads and stores as transfer functions.

pub(in crate::symbolic) mod access;
pub mod array_write;
pub mod lifetime;
pub mod memory_ssa;
pub mod object;
pub mod partition;
pub(in crate::symbolic) mod recency;
pub(in crate::symbolic) mod site_summary;
pub mod text;
pub mod value;
