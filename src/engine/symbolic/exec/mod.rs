//! Symbolic execution of functions, with paths merged where they meet (state merging, Kuznetsov et al., PLDI 2012).
//!
//! In: a function with its arguments and a state. Out: the state after it, and its [`events::Events`]. Data stands
//! lowest (`site`, `events`, `state`, `function_facts`, `runtime`), then the executor that holds it, then its code:
//! `region` (control flow), `instruction` and the files for its kinds, `calls`, `join`, `exceptions`. This module must
//! not depend on how the checks use an event.
//!
//! To add an instruction: a variant of `ir::Op`, an arm in `instruction`, and a file or function for what it does.

mod address;
mod aggregates;
mod arith;
pub(in crate::symbolic) mod aside;
pub mod calls;
pub mod captures;
mod cast;
mod compare;
mod converted_floats;
pub(in crate::symbolic) mod device_work;
pub mod events;
pub(in crate::symbolic) mod exceptions;
pub mod executor;
mod failure_branches;
pub(in crate::symbolic) mod function_facts;
pub mod graph_work;
pub mod host_threads;
pub(in crate::symbolic) mod instruction;
mod interpret;
pub(in crate::symbolic) mod join;
pub mod library;
pub mod listed_accesses;
pub mod lock_records;
pub mod locks;
mod memory_instructions;
pub mod named_values;
mod operands;
pub mod operations;
mod region;
pub(crate) mod runtime;
pub mod site;
pub mod state;
pub mod stream_order;
mod symbols;
pub mod thread_locals;
mod thrown_classes;
mod unmodelled;
