//! Turns findings into what users see.
//!
//! In: the results of `check/` for each program, and the project's settings. Out: a [`finding::Report`], rendered as
//! rustc-style text, one line each, JSON, SARIF or HTML. It knows nothing of Z3, LLVM or nvcc, and runs nothing.
//!
//! The stages: [`counts`] (each place once), [`merge`] (one finding per place) → [`fingerprint`] → [`suppress`]
//! (comments, `[[allow]]`, baseline) → [`levels`] → a renderer. [`assemble::assemble`] does all but the last.

pub mod assemble;
pub mod baseline;
pub mod ci;
pub mod contracts;
#[cfg(test)]
mod counts_tests;
pub mod explained;
pub mod fingerprint;
mod fix;
pub mod html;
pub mod human;
mod joined_check;
pub mod kept;
pub mod levels;
pub mod merge;
mod region;
pub mod render;
pub mod repository;
mod same_check;
pub mod sarif;
pub mod sentences;
pub mod shape;
pub mod shard;
pub mod short;
pub mod span;
mod style;
pub mod suppress;
#[cfg(test)]
mod tests;
pub mod undecided;
pub mod wrap;
