//! Obligations: that an access stays in its object, under all that is known where it is made; and what becomes of each.

pub(in crate::check) mod cone;
mod conversions;
pub(in crate::check) mod decide;
mod models;
pub(in crate::check) mod obligation;
mod proofs;
mod ranges;
mod relevance;
pub(in crate::check) mod specialise;
pub(in crate::check) mod verdict;
pub(in crate::check) mod wrapping;
