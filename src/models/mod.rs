//! What is known of functions of libraries by their names alone: one row per function.

pub mod attributes;
mod names;
pub mod no_return;
