//! What the tables of modelled functions give: a model, and what leaving a call of it out would lose.

use crate::machine::state::Model;
use models::row::Key;

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

/// A family of functions: names, the model of each of them, and its class.
pub type Table = &'static [(&'static [&'static str], Model, Class)];

/// The model of a function by its whole name.
pub fn by_name(table: Table, name: &str) -> Option<Entry> {
    table.iter().find(|(names, ..)| names.contains(&name)).map(|(_, model, class)| (*model, *class))
}

/// The model of a function by how its name begins: the first row that fits.
pub fn by_start(table: Table, name: &str) -> Option<Entry> {
    table
        .iter()
        .find(|(starts, ..)| starts.iter().any(|p| name.starts_with(p)))
        .map(|(_, model, class)| (*model, *class))
}

/// What a table has, each name behind what all of them begin with.
pub fn keys(table: Table, prefix: &'static str, key: fn(String) -> Key) -> impl Iterator<Item = Key> {
    table.iter().flat_map(|(names, ..)| *names).map(move |n| key(format!("{prefix}{n}")))
}
