//! Obligations: that an access stays in its object, under all that is known where it is made; and what becomes of each.

pub(crate) mod cone;
mod conversions;
pub(crate) mod decide;
mod models;
pub(crate) mod obligation;
mod proofs;
mod ranges;
mod relevance;
pub(crate) mod specialise;
pub(crate) mod verdict;
pub(crate) mod wrapping;
