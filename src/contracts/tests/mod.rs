//! Contracts as users write them, and laws that hold for all of them.

mod checks;
mod header;
mod laws;
mod meaning;
mod random;
mod small;
mod syntax;
