//! What is known of functions of libraries by their names alone: one table with a row for each, and the questions that are asked of it. What
//! instructions of a device access, by the text of inline assembly (`ptx`) and by the names of intrinsics (`tiles`).
//!
//! In: a name. Out: whether the function keeps, calls, launches, throws or returns, and which of the two engines models it. Both engines
//! ask; nothing here knows either.

pub mod access;
pub mod attributes;
pub mod cuda_names;
pub mod entry_points;
pub mod launches;
pub mod no_return;
pub mod ptx;
pub mod returns;
pub mod row;
pub mod table;
pub mod tensors;
#[cfg(test)]
mod tests;
pub mod tiles;
pub mod views;
