//! Confirms counterexamples on hardware.
//!
//! In: findings with witnesses, their program, and the commands that compile it. Out: an [`RecordedOutcome`] for each
//! finding: confirmed, not reproduced or inconclusive, with the evidence.
//!
//! Two halves meet in a [`Manifest`], which can be carried to another machine (a bundle). [`prepare`] knows the
//! program and its sources; [`execute`] knows nothing but the manifest, the CUDA toolkit and the GPU.

pub mod bundle;
mod calls;
mod checks;
pub mod commands;
pub mod device;
pub mod execute;
#[cfg(test)]
mod host_tests;
mod inputs;
mod kernel_check;
pub mod manifest;
pub mod prepare;
pub mod process;
pub mod record;
mod repro;
pub mod scratch;
pub mod store;
mod verdict;
pub mod watch;
mod words;

pub use manifest::{ConfirmCase, Manifest};
pub use store::{Confirmations, RecordedOutcome};
