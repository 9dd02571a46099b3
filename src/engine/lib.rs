//! Symbolic execution: from a program to its launches and accesses, with the conditions under which they are made.
//!
//! [`symbolic`] holds terms, memory, the executor and its loops; [`host`] and [`kernel`] supply the semantics of
//! library functions.

pub mod host;
pub mod kernel;
pub mod symbolic;
