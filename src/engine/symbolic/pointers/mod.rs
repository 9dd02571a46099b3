//! Points-to sets: where addresses have been stored, and what code that is left out can reach through them.
//!
//! In: stores and calls as the executor comes to them. Out: for a pointer that is not known, the objects and functions that it may lead to.
//! `points_to` is plain data below the executor, `escape` notes and reads it, `closure` finds what left-out code can reach,
//! `reached` is what a walk along pointers has come to.

pub(in crate::symbolic) mod closure;
pub(in crate::symbolic) mod escape;
pub mod points_to;
pub(in crate::symbolic) mod reached;
