//! What a fact file says of one translation unit, and of one link. Types alone: they are made by the commands that compile and
//! link, kept by [`super::store`] and joined to programs by [`super::join`].

use super::maker::Maker;
use super::recipe::Recipe;
use super::symbols::Symbols;
use base::rules::Level;
use files::Dependency;
use ir::Module;
use nvcc::request::Link;
use nvcc::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A side of the unit that no front end could read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub side: String,
    pub reason: String,
}

/// Why the unit of a linked object was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The object as users know it.
    pub object: String,
    /// And what to do.
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
    /// The output's canonical path; see [`super::key_of`].
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
    /// The build compiled it without the analysis, and it was read later, by its command: until the shim compiles it.
    pub built_without: bool,
    pub symbols: Symbols,
    pub not_analysed: Vec<Missing>,
    /// Which front ends made the modules.
    pub producers: Vec<String>,
    /// The front end's, for people: one line each.
    pub notes: Vec<String>,
    /// An object that is linked and whose unit cannot be read; nothing of it is kept.
    #[serde(skip)]
    pub unseen: Option<Unseen>,
    /// The build of this output was stopped by a finding, until it is compiled again.
    pub denied: bool,
    /// What users were told of when this unit was compiled.
    pub told: Vec<Told>,
}

impl UnitFacts {
    /// Whether its output is there. A unit that was compiled and linked by one command has the link's.
    #[must_use]
    pub fn lies(&self) -> bool {
        let linked = || self.linked_by().map(Path::exists);
        if self.unit.output.is_some() { self.key.exists() } else { linked().unwrap_or(true) }
    }

    /// The output of the link or archive that it was compiled into by one command; the working folder of a command that writes nothing.
    #[must_use]
    pub fn linked_by(&self) -> Option<&Path> {
        self.key.to_str().and_then(|k| k.split_once("#/")).map(|(output, _)| Path::new(output))
    }

    /// Whether its output was written before one of its inputs, as far as times tell: build tools go by them.
    #[must_use]
    pub fn is_older_than_inputs(&self) -> bool {
        let written = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
        let Some(output) = written(&self.key) else { return false };
        self.dependencies.iter().filter_map(|d| written(&d.path)).any(|input| input > output)
    }

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
    /// What another front end makes of it: of units that were just read, and never kept.
    pub second: Option<Second>,
}

/// A unit's code as another front end reads it.
#[derive(Clone, Debug)]
pub struct Second {
    pub modules: Vec<Arc<Module>>,
    /// `cgeist 17.0.6`.
    pub frontend: String,
}

/// A link that a build made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFacts {
    pub link: Link,
    /// Keys of the units compiled by the same command.
    pub units: Vec<PathBuf>,
}
