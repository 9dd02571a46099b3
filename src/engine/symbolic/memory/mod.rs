//! Abstract memory: objects made of cells at constant offsets, layers of bulk writes, and unknown contents identified
//! by a version.
//!
//! In: pointers as guarded sets of targets, and values. Out: states after writes, and the values of reads. Plain data
//! is at the bottom (`value`, `scalar`, `object`, `array_write`, `partition`, `site_summary`, `memory_ssa`, `heap`,
//! `scarce`); above it are the executor's transfer functions: `load`, `store`, `callers`, `given`, `containers`,
//! `copy`, `layers`, `initial`, `record`. The module must not know what an out-of-bounds access means.

pub(in crate::symbolic) mod allocation_failure;
pub mod array_write;
pub mod callers;
pub(in crate::symbolic) mod containers;
mod copy;
pub(in crate::symbolic) mod given;
pub mod heap;
pub mod images;
mod initial;
pub(in crate::symbolic) mod layers;
pub mod lifetime;
mod load;
pub(in crate::symbolic) mod made_in_iterations;
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
