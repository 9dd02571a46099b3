//! Points-to sets: where addresses have been stored, and what code that is left out can reach through them.

pub(in crate::symbolic) mod closure;
pub(in crate::symbolic) mod escape;
pub mod points_to;
