//! What is kept of each translation unit, so that every check can be repeated without sources, nvcc or LLVM.
//!
//! In: the modules a front end made of one unit, and the links that a build makes. Out: fact files in `.scuba/`, read
//! back by whoever joins units to programs ([`join`]). It knows nothing of checks, solvers or reports.
//!
//! No daemon and no lock: a file is written aside and renamed, the last writer wins, and a file that cannot be read
//! is as good as none.

pub mod archive;
pub mod currency;
mod file;
pub mod generated;
pub mod gone;
pub mod join;
mod maker;
pub mod objects;
mod recipe;
mod store;
mod symbols;
pub mod verdicts;

pub use currency::Present;
pub use file::ReadError;
pub use maker::Maker;
pub use recipe::Recipe;
pub use store::{Store, StoreError, key_of};
pub use symbols::{Symbol, Symbols};

use crate::ir::Module;
use crate::nvcc::request::Link;
use crate::nvcc::unit::TranslationUnit;
use crate::report::finding::Level;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// A file that a unit was made from. Size and time spare reading it again; the hash decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Absolute.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: u128,
    /// blake3.
    pub hash: [u8; 32],
}

impl Dependency {
    /// The file as it is now; `None` where it cannot be read.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok()?;
        Some(Self { path: path.to_owned(), size: meta.len(), modified: modified(&meta), hash: hash_file(path)? })
    }
}

fn modified(meta: &std::fs::Metadata) -> u128 {
    meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos())
}

/// blake3 of a file's contents; `None` where it cannot be read.
#[must_use]
pub fn hash_file(path: &Path) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let mut file = std::fs::File::open(path).ok()?;
    std::io::copy(&mut file, &mut hasher).ok()?;
    Some(*hasher.finalize().as_bytes())
}

/// A side of the unit that no front end could read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub side: String,
    pub reason: String,
}

/// A finding that users were told of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Told {
    pub fingerprint: String,
    pub level: Level,
}

impl Told {
    /// Whether the same finding at this level is no news.
    #[must_use]
    pub fn covers(&self, fingerprint: &str, level: Level) -> bool {
        self.fingerprint == fingerprint && self.level >= level
    }
}

/// All that is known of a unit but its code: enough to join it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitFacts {
    /// The output's canonical path; see [`key_of`].
    pub key: PathBuf,
    pub unit: TranslationUnit,
    /// Source and headers.
    pub dependencies: Vec<Dependency>,
    /// Where the build tool has the command from.
    pub recipe: Recipe,
    /// Who was compiling it when this was written: until then its output need not exist.
    pub maker: Option<Maker>,
    /// Compiled by the host's own compiler, and its code not read: that waits until a program with CUDA code needs it.
    pub pending: bool,
    pub symbols: Symbols,
    pub not_analysed: Vec<Missing>,
    /// Which front ends made the modules.
    pub producers: Vec<String>,
    /// The front end's, for people: one line each.
    pub notes: Vec<String>,
    /// The build of this output was stopped by a finding, until it is compiled again.
    pub denied: bool,
    /// What users were told of when this unit was compiled.
    pub told: Vec<Told>,
}

impl UnitFacts {
    /// The unit's main source file, absolute.
    #[must_use]
    pub fn source(&self) -> PathBuf {
        self.unit.directory.join(&self.unit.source)
    }
}

/// A unit with its code.
#[derive(Clone, Debug)]
pub struct Unit {
    pub facts: UnitFacts,
    pub modules: Vec<Arc<Module>>,
}

/// A link that a build made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFacts {
    pub link: Link,
    /// Keys of the units compiled by the same command.
    pub units: Vec<PathBuf>,
}
