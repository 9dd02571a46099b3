//! Points-to sets: where addresses have been stored, and what skipped code can reach through them.
//!
//! In: stores and calls as the executor reaches them. Out: for an unknown pointer, the objects and functions to which
//! it may lead. `points_to` is plain data below the executor, `escape` records and reads it, `closure` determines what
//! skipped code can reach, `device_reach` what device work can, and `reached` holds the objects found by a walk along pointers.

pub(in crate::symbolic) mod closure;
mod device_reach;
pub(in crate::symbolic) mod escape;
pub mod points_to;
pub(in crate::symbolic) mod reached;
