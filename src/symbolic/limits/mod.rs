//! What an execution may cost, and which parts of it are left out for that.
//!
//! In: steps and units of work as they are spent. Out: whether to go on, and the parts that cost most. Nothing here depends on a clock but the
//! safety nets.

pub mod budget;
pub mod cost;
pub(in crate::symbolic) mod measure;
