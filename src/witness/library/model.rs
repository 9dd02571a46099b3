//! Entries of the tables of modelled functions: a model, and what skipping a call would lose.

use crate::machine::state::ConcreteModel;
use models::row::NameKey;

/// What skipping a call would lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelClass {
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
pub type ModelEntry = (ConcreteModel, ModelClass);

/// A family of functions: names, the model of each of them, and its class.
pub type ModelTable = &'static [(&'static [&'static str], ConcreteModel, ModelClass)];

/// Model of a function by its whole name.
pub fn by_name(table: ModelTable, name: &str) -> Option<ModelEntry> {
    table.iter().find(|(names, ..)| names.contains(&name)).map(|(_, model, class)| (*model, *class))
}

/// Model of a function by prefix of its name; the first matching row counts.
pub fn by_start(table: ModelTable, name: &str) -> Option<ModelEntry> {
    table
        .iter()
        .find(|(starts, ..)| starts.iter().any(|p| name.starts_with(p)))
        .map(|(_, model, class)| (*model, *class))
}

/// Keys of a table's names, after their common prefix.
pub fn keys(table: ModelTable, prefix: &'static str, key: fn(String) -> NameKey) -> impl Iterator<Item = NameKey> {
    table.iter().flat_map(|(names, ..)| *names).map(move |n| key(format!("{prefix}{n}")))
}
