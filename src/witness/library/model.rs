//! What the tables of modelled functions give: a model, and what leaving a call of it out would lose.

use crate::witness::machine::state::Model;

/// What leaving a call out would lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Only its result.
    Pure,
    /// What it writes through its arguments, or memory that it allocates or frees.
    Memory,
    /// Something of the CUDA runtime that later code depends on.
    Cuda,
    /// Waits for other threads.
    Barrier,
    /// Draws from the C library's random numbers.
    Random,
    /// Moves on in an input.
    Input,
    /// Ends the program.
    Ends,
}

/// A model and its class.
pub type Entry = (Model, Class);
