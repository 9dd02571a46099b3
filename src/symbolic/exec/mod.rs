//! The executor: functions, blocks, joins of paths, instructions and calls.

mod address;
mod aggregates;
mod arith;
pub(in crate::symbolic) mod calls;
mod cast;
mod compare;
pub(in crate::symbolic) mod device_work;
pub mod events;
pub(in crate::symbolic) mod exceptions;
pub mod executor;
pub(in crate::symbolic) mod function_facts;
pub(in crate::symbolic) mod instruction;
mod interpret;
pub(in crate::symbolic) mod join;
mod memory_instructions;
mod operands;
mod region;
pub(crate) mod runtime;
pub mod site;
pub mod state;
mod symbols;
mod unmodelled;
