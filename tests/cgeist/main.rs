//! cgeist as a front end: recorded output in several shapes, a replayed process, one that is installed, and its reading beside clang's.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod compare;
mod mixed;
mod process;
mod programs;
mod reading;
mod real;
