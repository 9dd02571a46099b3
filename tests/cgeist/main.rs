//! cgeist as a front end: recorded output in three shapes, a replayed process, and its reading beside clang's.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod compare;
mod mixed;
mod process;
mod programs;
mod reading;
