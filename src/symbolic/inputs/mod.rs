//! The inputs of a program, and what is assumed of them.

pub mod assume;
pub mod command_line;
