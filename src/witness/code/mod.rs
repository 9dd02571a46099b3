//! What is found out of the program's functions: their flat form, their control flow, and which parts may be skipped.
//!
//! In: functions of the analysis form. Out: `machine::form::Code`, effects (MOD of calls and regions), and for a branch that is not known or a
//! loop that takes too long the place to go on, with what lies between made poison. `effect` and `region` hold the types; they lie below the
//! machine, whose state keeps what was found out; `kept` holds what is the same for all runs of a program.

mod builder;
pub(crate) mod compile;
pub(crate) mod effect;
pub(crate) mod effects;
pub(crate) mod flow;
pub(crate) mod induction;
mod instructions;
pub(crate) mod kept;
pub(crate) mod region;
pub(crate) mod roots;
pub(crate) mod skip;
