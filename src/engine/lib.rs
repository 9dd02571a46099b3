//! Symbolic execution: from a program to its launches and accesses, with the conditions under which they are made.
//!
//! [`symbolic`] holds terms, memory, the executor and its loops. The semantics of library functions are in the crate `library`.

pub mod symbolic;
