//! Front ends: from one translation unit of a compile command to modules of the analysis form.
//!
//! In: a [`TranslationUnit`] and [`ExtractOptions`]. Out: an [`Extraction`]. The worker process `scuba-extract` does
//! the work, so that a crash, a hang or exhausted memory there costs one line; [`extract`] is its client and depends
//! neither on clang nor on LLVM. Front ends know nothing of kernel semantics, of findings or of Z3.

pub mod bundled;
pub mod checks;
pub mod clang;
mod client;
mod extraction;
mod identifiers;
mod in_process;
pub mod llvm;
pub mod names;
pub mod namesakes;
pub mod own;
mod requests;
pub mod second;
mod small_program;
pub mod worker;

pub use client::extract;
pub use extraction::{ComparedModules, ExtractError, ExtractOptions, Extraction, FailedSide, Precompile};
pub use in_process::InProcessReader;
pub use requests::HeaderRequests;
pub use small_program::{compile_command, first_error, probe, write_probe};
