//! Front ends: one translation unit of a compile command → modules of the analysis form.
//!
//! In: a [`TranslationUnit`] and [`ExtractOptions`]. Out: an [`Extraction`]. The work is done by the worker process
//! `scuba-extract`, so that a crash, a hang or too much memory there costs one line; [`extract`] is its client and
//! refers neither to clang nor to LLVM. The rooms below know nothing of kernels' meaning, of findings or of Z3.

mod asked;
pub mod bundled;
pub mod clang;
mod client;
mod extraction;
mod in_process;
pub mod llvm;
pub mod names;
pub mod namesakes;
pub mod own;
pub mod paths;
pub mod second;
mod small_program;
pub mod worker;

pub use client::extract;
pub use extraction::{ExtractError, ExtractOptions, Extraction, NotAnalysed, SecondReading};
pub use in_process::Reader;
pub use small_program::{compiled_by, probe, write_probe};
