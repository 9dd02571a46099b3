//! What is known of functions of libraries by their names alone: tables by property, and the questions that are asked of them. What
//! instructions of a device access, by the text of inline assembly (`ptx`) and by the names of intrinsics (`tiles`).
//!
//! In: a name. Out: whether the function keeps, calls, launches, throws or returns. Both engines ask; nothing here knows either.

pub(crate) mod access;
pub mod attributes;
mod names;
pub mod no_return;
pub(crate) mod ptx;
pub(crate) mod tiles;
