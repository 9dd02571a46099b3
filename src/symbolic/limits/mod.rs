//! What an execution may cost, and which parts of it are left out for that.

pub mod budget;
pub mod cost;
pub(in crate::symbolic) mod measure;
