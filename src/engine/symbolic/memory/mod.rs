//! The abstract memory: objects made of cells at constant offsets, layers of bulk writes, and contents that have only a number.
//!
//! In: pointers as guarded sets of targets, and values. Out: states with these written, and the values of reads. Data stands lowest (`value`, `scalar`,
//! `object`, `array_write`, `partition`, `site_summary`, `memory_ssa`, `heap`, `scarce`); transfer functions of the executor are above it: `load`, `store`,
//! `callers`, `given`, `containers`, `copy`, `layers`, `initial`, `record`. It must not know what an access out of bounds means.

pub(in crate::symbolic) mod allocation_failure;
pub mod array_write;
pub mod callers;
pub(in crate::symbolic) mod containers;
mod copy;
pub(in crate::symbolic) mod given;
pub mod heap;
mod initial;
pub(in crate::symbolic) mod layers;
pub mod lifetime;
mod load;
pub(in crate::symbolic) mod made_in_rounds;
mod map;
pub mod memory_ssa;
pub(in crate::symbolic) mod naming;
pub mod object;
pub(in crate::symbolic) mod origins;
pub mod partition;
pub(in crate::symbolic) mod recency;
mod record;
pub(crate) mod scalar;
pub(crate) mod scarce;
pub(in crate::symbolic) mod site_summary;
mod store;
pub mod tensors;
pub mod text;
pub mod value;
