//! The inputs of a program, and the assumptions on them.
//!
//! In: reads of arguments, files and options. Out: input symbols, one for each source, and assumed facts. `sources`,
//! `command_line` and `assume` are plain data below the executor.

pub mod assume;
pub(in crate::symbolic) mod assumed_facts;
pub mod command_line;
pub mod contract_facts;
mod contract_terms;
pub mod elements;
mod invariants;
mod operators;
pub(in crate::symbolic) mod option_values;
mod parameters;
mod registers;
pub(crate) mod sources;
mod tensor_terms;
mod views;

pub use invariants::ClassObject;
