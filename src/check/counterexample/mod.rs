//! From a model to inputs of the program, and from inputs to what a concrete replay makes of them.

pub(in crate::check) mod candidates;
pub(in crate::check) mod concrete_trials;
pub(in crate::check) mod degenerate;
pub(in crate::check) mod input_files;
pub(in crate::check) mod recorded;
pub(in crate::check) mod replay;
mod completion;
mod tensors;
pub(in crate::check) mod sequential;
pub(in crate::check) mod tried;
