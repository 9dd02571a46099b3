//! From a model to inputs of the program, and from inputs to the result of a concrete replay.

pub(crate) mod candidates;
mod completion;
pub(crate) mod concrete_trials;
pub(crate) mod degenerate;
mod devices;
mod file_trials;
pub(crate) mod input_files;
mod lists;
pub(crate) mod model_inputs;
mod option_values;
mod pitches;
pub(crate) mod recorded;
pub(crate) mod replay;
pub(crate) mod replay_result;
pub(crate) mod sequential;
mod strings;
pub(crate) mod surroundings;
pub(crate) mod tensor_trials;
mod tensors;
pub(crate) mod tried;
