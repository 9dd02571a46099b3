//! Obligations that an access stays in its object, under all facts at the access; and their decisions.

pub(crate) mod alignment;
pub(crate) mod cone;
mod conversions;
pub(crate) mod decide;
mod families;
pub(crate) mod free_extent;
mod host_factors;
mod logarithm;
mod models;
pub(crate) mod obligation;
mod precomputed;
mod proofs;
mod ranges;
mod relevance;
pub(crate) mod specialise;
pub(crate) mod verdict;
pub(crate) mod wrapping;

#[cfg(test)]
mod brute_force_tests;
