//! nvcc: parse a copy of the command line, run the real nvcc unchanged beside the analysis.
//!
//! In: the arguments of `scuba-nvcc`. Out: nvcc's own results, and a [`request::AnalysisRequest`] for the analysis. The
//! analysis is another program (`scuba`), so that this one starts in milliseconds: nothing here may use LLVM, Z3 or the
//! crates that do.
//!
//! `flags` and `words` hold nvcc's rules as data. `expand` → `parse` → `plan` turn arguments into a request without
//! running anything; [`command`] combines these steps in one call. `locate` finds the real nvcc, [`shim`] decides what
//! to run, and `supervise` runs nvcc and the analysis and ends as nvcc did.
mod analysis;
pub mod arch;
pub mod colour;
pub mod command;
mod expand;
pub mod flags;
pub mod history;
pub mod host;
pub mod interpose;
mod jobs;
pub mod locate;
pub mod notes;
pub mod once;
mod parse;
mod phase;
mod plan;
pub mod processes;
pub mod request;
mod settings;
pub mod shim;
mod supervise;
pub mod unit;
pub mod words;
mod written;
