//! What is found out of the program's functions: their flat form, their control flow, and which parts may be skipped.
//!
//! In: functions of the analysis form. Out: `machine::form::Code`, effects (MOD of calls and regions), and for a branch that is not known or a
//! loop that takes too long the place to go on, with what lies between made poison. `effect` and `region` hold the types; they lie below the
//! machine, whose state keeps what was found out; `kept` holds what is the same for all runs of a program.

mod builder;
pub(in crate::witness) mod compile;
pub(in crate::witness) mod effect;
pub(in crate::witness) mod effects;
pub(in crate::witness) mod flow;
pub(in crate::witness) mod induction;
mod instructions;
pub(in crate::witness) mod kept;
pub(in crate::witness) mod region;
pub(in crate::witness) mod roots;
pub(in crate::witness) mod skip;
