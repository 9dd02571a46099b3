//! Entries of the tables of modelled functions: a model, and what skipping a call would lose.

use crate::machine::state::Model;
use models::row::Key;

/// What skipping a call would lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The result alone.
    Pure,
    /// Writes through arguments, or memory that the call allocates or frees.
    Memory,
    /// State of the CUDA runtime that later code depends on.
    Cuda,
    /// A wait for other threads.
    Barrier,
    /// Draws from the C library's random numbers.
    Random,
    /// Progress in an input.
    Input,
    /// The end of the program.
    Ends,
}

/// A model and its class.
pub type Entry = (Model, Class);

/// A family of functions: names, the model of each of them, and its class.
pub type Table = &'static [(&'static [&'static str], Model, Class)];

/// Model of a function by its whole name.
pub fn by_name(table: Table, name: &str) -> Option<Entry> {
    table.iter().find(|(names, ..)| names.contains(&name)).map(|(_, model, class)| (*model, *class))
}

/// Model of a function by prefix of its name; the first matching row counts.
pub fn by_start(table: Table, name: &str) -> Option<Entry> {
    table
        .iter()
        .find(|(starts, ..)| starts.iter().any(|p| name.starts_with(p)))
        .map(|(_, model, class)| (*model, *class))
}

/// Keys of a table's names, after their common prefix.
pub fn keys(table: Table, prefix: &'static str, key: fn(String) -> Key) -> impl Iterator<Item = Key> {
    table.iter().flat_map(|(names, ..)| *names).map(move |n| key(format!("{prefix}{n}")))
}
