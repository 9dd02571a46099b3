//! Functions in the flat form that the machine runs, their control flow, and which parts may be skipped.

mod builder;
pub(in crate::witness) mod compile;
pub(in crate::witness) mod effect;
pub(in crate::witness) mod effects;
pub(in crate::witness) mod flow;
pub(in crate::witness) mod induction;
mod instructions;
pub(in crate::witness) mod region;
pub(in crate::witness) mod roots;
pub(in crate::witness) mod skip;
