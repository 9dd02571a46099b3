//! What is known of functions of libraries by their names alone: one table with a row for each, and the questions that are asked of it.
//!
//! In: a name. Out: whether the function keeps, calls, launches, throws or returns, and which of the two engines models it. Both engines
//! ask; nothing here knows either.

pub mod attributes;
pub mod no_return;
pub mod returns;
pub mod row;
pub mod table;
#[cfg(test)]
mod tests;
