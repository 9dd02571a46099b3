//! Checks at chosen accesses of a unit's device code: requests to the worker and its answers.

use models::access::AccessMode;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Most objects of a launch that the guard supports.
pub const RANGES: usize = 1024;

/// Start of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrayStart {
    /// Address in the table.
    Table,
    /// Variable of the module, by symbol.
    Variable(String),
    /// Start of dynamic shared memory.
    DynamicShared,
    /// Alloca `number`, from 0, of the function's `of` allocas.
    Alloca { number: usize, of: usize },
    /// Alloca of another function, which stores its address for the check.
    Kept { function: String, number: usize, of: usize },
    /// Row that an address computation starts from: number `number`, from 0, of the block's `of` address computations
    /// with a varying last index.
    Row { block: usize, number: usize, of: usize },
}

/// [`AccessMode`] in its stored form.
#[derive(Serialize, Deserialize)]
#[serde(remote = "AccessMode")]
enum StoredMode {
    Read,
    Write,
    Atomic,
}

/// An access to check: number `number`, from 0, of the `of` instructions in a block that access memory. Their kinds
/// do not matter, because the analysis represents inline assembly that is one load as a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedAccess {
    /// Symbol of the function.
    pub function: String,
    pub block: usize,
    #[serde(with = "StoredMode")]
    pub mode: AccessMode,
    pub number: usize,
    pub of: usize,
    pub start: ArrayStart,
    /// Width in bytes.
    pub width: u64,
}

impl CheckedAccess {
    /// Functions whose code must be the same as in the analysis.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let array = match &self.start {
            ArrayStart::Kept { function, .. } => Some(function.as_str()),
            _ => None,
        };
        std::iter::once(self.function.as_str()).chain(array)
    }
}

/// Checks that the worker inserts into the device code of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRequest {
    /// Each place's row in the table is its index.
    pub places: Vec<CheckedAccess>,
    /// The architecture `sm_<guard>` for which other code also gets a guard at all other accesses; `None`: no such code.
    pub guard: Option<u32>,
    /// File for the [`InsertedChecks`].
    pub output: PathBuf,
}

/// Device code of a unit with checks, as LLVM assembly without debug information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertedChecks {
    pub code: String,
    /// Reasons for places that were not found.
    pub failed: Vec<(usize, String)>,
    /// Code with a guard at all other accesses of the generic address space too. The guard's record is the row after
    /// those of the places. `None` if it was not requested, or if the code allocates memory, whose addresses are
    /// unknown.
    pub guarded: Option<String>,
}
