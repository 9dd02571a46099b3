//! Analysis of the program's functions: their flat form, their control flow, and which parts may be skipped.
//!
//! In: functions of the analysis form. Out: `machine::form::Code`, effects (MOD of calls and regions), and, for a
//! branch with an unknown condition or a loop that takes too long, the block to continue at, with the skipped writes
//! made poison. `effect` and `region` hold the types. They lie below the machine, whose state keeps the results;
//! `kept` holds results that are the same for all runs of a program.

mod builder;
pub(crate) mod compile;
pub(crate) mod effect;
pub(crate) mod effects;
pub(crate) mod flow;
mod handlers;
pub(crate) mod induction;
mod instructions;
pub(crate) mod program_cache;
pub(crate) mod region;
pub(crate) mod roots;
pub(crate) mod skip;
