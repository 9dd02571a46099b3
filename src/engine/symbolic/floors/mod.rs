//! The floors below the executor: each type owns the floor below it, and a method stands on the lowest floor whose
//! fields it needs.
//!
//! [`Deref`](std::ops::Deref) leads down, so that fields and methods of lower floors are used like those of one's own; a
//! call upward does not compile. A method of a lower floor that takes `&mut self` borrows that floor before its
//! arguments are evaluated, so evaluate arguments that need `self` before the call. `tools/floors.py` lists the floor of
//! each method, and which could stand lower.
//!
//! The types of fields lie below the floors and do not know them. The methods are in the other folders, in the files of
//! their subjects.

pub mod execution_context;
pub mod memory_domain;
pub mod terms;
pub mod value_domain;
