//! What is known of functions of libraries by their names alone: tables by property, and the questions that are asked of them.
//!
//! In: a name. Out: whether the function keeps, calls, launches, throws or returns. Both engines ask; nothing here knows either.

pub mod attributes;
mod names;
pub mod no_return;
pub mod table;
#[cfg(test)]
mod tests;
