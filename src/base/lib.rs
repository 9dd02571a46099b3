//! What every room may use, and what uses none of them.

pub mod axioms;
pub mod inside;
pub mod nets;
pub mod paths;
pub mod reasons;
pub mod rules;
pub mod statements;
pub mod work;
