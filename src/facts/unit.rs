//! Contents of a fact file about one translation unit or one link. Types only: the compile and link commands create
//! them, [`super::store`] keeps them, and [`super::join`] groups them into programs.

use super::inputs::Inputs;
use super::maker::Maker;
use super::recipe::Recipe;
use super::symbols::Symbols;
use base::rules::Level;
use ir::Module;
use nvcc::request::Link;
use nvcc::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A side of the unit that no front end could read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadSide {
    pub side: String,
    pub reason: String,
}

/// Reason why the unit of a linked object was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadReason {
    /// Name of the object in messages.
    pub object: String,
    /// The reason, and what the user can do.
    pub reason: String,
    /// Whether `[scope] exclude` names the unit: it is not read on purpose.
    pub excluded: bool,
}

/// A finding that was reported to users.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReportedFinding {
    pub fingerprint: String,
    pub level: Level,
}

impl ReportedFinding {
    /// Whether this report covers the finding with this fingerprint at this level, so that it need not be reported
    /// again.
    #[must_use]
    pub fn covers(&self, fingerprint: &str, level: Level) -> bool {
        self.fingerprint == fingerprint && self.level >= level
    }
}

/// Facts of a unit without its code: enough to join it to a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitFacts {
    /// Canonical path of the output; see [`super::key_of`].
    pub key: PathBuf,
    pub unit: TranslationUnit,
    /// Source and headers.
    pub dependencies: Inputs,
    /// Source of the build tool's command for the output.
    pub recipe: Recipe,
    /// Process that was compiling the unit when this was written: until that ends, the output need not exist.
    pub maker: Option<Maker>,
    /// Whether the host's own compiler compiled the unit and its code was not read: that waits until a program with
    /// CUDA code needs it.
    pub pending: bool,
    /// Whether the build compiled the unit without the analysis, and SCuBA read it later, by its command. Holds until
    /// the shim compiles it.
    pub built_without: bool,
    pub symbols: Symbols,
    pub not_analysed: Vec<UnreadSide>,
    /// Front ends that made the modules.
    pub producers: Vec<String>,
    /// Notes of the front end for users: one line each.
    pub notes: Vec<String>,
    /// Reason why the unit of a linked object cannot be read. Never stored.
    #[serde(skip)]
    pub unseen: Option<UnreadReason>,
    /// Whether a finding stopped the build of this output; holds until it is compiled again.
    pub denied: bool,
    /// Findings reported to users when this unit was compiled.
    pub told: Vec<ReportedFinding>,
}

impl UnitFacts {
    /// Whether the output exists. A unit that one command compiled and linked has the link's output.
    #[must_use]
    pub fn lies(&self) -> bool {
        let linked = || self.linked_by().map(Path::exists);
        if self.unit.output.is_some() { self.key.exists() } else { linked().unwrap_or(true) }
    }

    /// Returns the output of the link or archive that one command compiled the unit into; for a command that writes
    /// nothing, its working folder.
    #[must_use]
    pub fn linked_by(&self) -> Option<&Path> {
        self.key.to_str().and_then(|k| k.split_once("#/")).map(|(output, _)| Path::new(output))
    }

    /// Whether the output was written before one of its inputs, by the times that build tools use.
    #[must_use]
    pub fn is_older_than_inputs(&self) -> bool {
        let written = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
        let Some(output) = written(&self.key) else { return false };
        self.dependencies.list().iter().filter_map(|d| written(&d.path)).any(|input| input > output)
    }

    /// Whether `[scope] exclude` names the unit.
    #[must_use]
    pub fn is_excluded(&self) -> bool {
        self.unseen.as_ref().is_some_and(|u| u.excluded)
    }

    /// Returns the absolute path of the unit's main source.
    #[must_use]
    pub fn source(&self) -> PathBuf {
        self.unit.directory.join(&self.unit.source)
    }
}

/// A unit with its code.
#[derive(Clone, Debug)]
pub struct UnitWithCode {
    pub facts: UnitFacts,
    pub modules: Vec<Arc<Module>>,
    /// The unit as another front end reads it: only for units that were just read, and never stored.
    pub second: Option<SecondCode>,
}

/// A unit's code as another front end reads it.
#[derive(Clone, Debug)]
pub struct SecondCode {
    pub modules: Vec<Arc<Module>>,
    /// Name and version, such as `cgeist 17.0.6`.
    pub frontend: String,
}

/// A link that a build made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFacts {
    pub link: Link,
    /// Keys of the units compiled by the same command.
    pub units: Vec<PathBuf>,
}
