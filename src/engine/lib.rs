//! Symbolic execution: from a program to its launches and accesses, with the conditions under which they are made.
//!
//! [`symbolic`] holds terms, memory, the executor and its loops; [`host`] and [`kernel`] give it what functions do.

pub mod host;
pub mod kernel;
pub mod symbolic;
