//! The inputs of a program, and what is assumed of them.

pub mod assume;
pub(in crate::symbolic) mod assumed_facts;
pub mod command_line;
pub(in crate::symbolic) mod option_values;
pub(crate) mod sources;
