//! Facts about each translation unit, kept so that every check can be repeated without sources, nvcc or LLVM.
//!
//! In: the modules that a front end made of one unit, and the links of a build. Out: fact files in `.scuba/`, which
//! [`join`] reads to group units into programs. This crate knows nothing of checks, solvers or reports.
//!
//! Facts need no daemon and no lock: each file is written aside and renamed, the last writer wins, and an unreadable file
//! counts as missing.

pub mod archive;
mod besides;
pub mod currency;
pub mod file;
pub mod generated;
pub mod gone;
mod inputs;
pub mod join;
pub mod linked;
mod linkers;
mod maker;
pub mod objects;
mod recipe;
mod store;
mod symbols;
mod unit;

pub use besides::UnderivedInputs;
pub use currency::DiskSnapshot;
pub use file::FactFileError;
pub use inputs::Inputs;
pub use linkers::{Linkers, MakeOverrides, linkers};
pub use maker::Maker;
pub use recipe::Recipe;
pub use store::{FactStore, StoreError, canonical, key_of};
pub use symbols::{LinkSymbol, Symbols};
pub use unit::{LinkFacts, ReportedFinding, SecondCode, UnitFacts, UnitWithCode, UnreadReason, UnreadSide};
