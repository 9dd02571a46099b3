//! From a model to inputs of the program, and from inputs to what a concrete replay makes of them.

pub(in crate::check) mod candidates;
mod completion;
pub(in crate::check) mod concrete_trials;
pub(in crate::check) mod degenerate;
pub(in crate::check) mod input_files;
mod model_inputs;
pub(in crate::check) mod recorded;
pub(in crate::check) mod replay;
pub(in crate::check) mod sequential;
pub(in crate::check) mod tensor_trials;
mod tensors;
mod texts;
pub(in crate::check) mod tried;
