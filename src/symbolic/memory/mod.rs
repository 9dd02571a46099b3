//! The abstract memory: objects, cells, arrays of writes, lifetimes and parts; loads and stores as transfer functions.

pub(in crate::symbolic) mod allocation_failure;
pub mod array_write;
mod copy;
mod initial;
pub(in crate::symbolic) mod layers;
pub mod lifetime;
mod load;
pub(in crate::symbolic) mod made_in_rounds;
pub mod memory_ssa;
pub(in crate::symbolic) mod naming;
pub mod object;
pub(in crate::symbolic) mod origins;
pub mod partition;
pub(in crate::symbolic) mod recency;
mod record;
pub(crate) mod scarce;
pub(in crate::symbolic) mod site_summary;
mod store;
pub mod text;
pub mod value;
