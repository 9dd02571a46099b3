//! Settings of a project: `scuba.toml`.
//!
//! In: a path, or a folder from which to search upwards. Out: a [`Config`] with all values in range; its
//! paths are absolute, except bare program names, which PATH resolves. This crate does not know command lines:
//! `driver/` applies `-D`, `--frontend` and the like on top.

mod lenient;
mod load;
pub mod schema;
mod scope;
mod size;

pub use lenient::{SkippedStatements, load_leniently};
pub use load::{ConfigError, FILE_NAME, find, load, parse};
pub use scope::ProjectScope;
pub use size::{ByteSize, SizeError};

use base::remote_url::RemoteUrl;
use base::rules::{Level, Rule};
use contracts::assume::StatedCondition;
use contracts::{Contract, EntrySelector, Invariant};
use globset::GlobMatcher;
use schemars::JsonSchema;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which front end's facts are used (`[frontend] kind`, `--frontend`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize, clap::ValueEnum, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FrontendKind {
    /// clang's facts; cgeist runs beside it where it is installed, and disagreements are reported.
    #[default]
    Auto,
    /// clang alone.
    Clang,
    /// cgeist alone.
    Cgeist,
}

impl FrontendKind {
    /// Name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Clang => "clang",
            Self::Cgeist => "cgeist",
        }
    }
}

/// Table `[frontend]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Frontend {
    /// Front end that reads the sources.
    pub kind: FrontendKind,
    /// Program name or absolute path; `None`: the front end's default.
    pub clang: Option<PathBuf>,
    /// Program name or path of cgeist.
    pub cgeist: Option<PathBuf>,
    /// Toolkit whose headers cgeist reads, an absolute path; `None`: nvcc's.
    pub cgeist_cuda: Option<PathBuf>,
    /// Flags for clang, after all others.
    pub flags: Vec<String>,
}

/// Table `[limits]`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Maximum sum of live device allocations, in bytes.
    #[serde(deserialize_with = "load::size_from::<_, 1>")]
    #[schemars(with = "ByteSize")]
    pub device_memory: u64,
    /// Budget of work, in hundredths of the usual budget: the only limit that verdicts depend on.
    #[serde(deserialize_with = "load::within::<_, 1, 100_000>")]
    #[schemars(range(min = 1, max = 100_000))]
    pub work: u32,
    /// CPU time for one query to the solver, in milliseconds: a safety net.
    #[serde(deserialize_with = "load::within::<_, 1, 3_600_000>")]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub solver_ms: u32,
    /// CPU time for one program, or for each side of a translation unit, in seconds: a safety net. Accesses left at its end
    /// are undecided.
    #[serde(deserialize_with = "load::within::<_, 1, 86_400>")]
    #[schemars(range(min = 1, max = 86_400))]
    pub tu_seconds: u32,
    /// Memory of one worker process, in bytes: its address space if it reads sources, its data if it checks. Clang
    /// cannot even start with less than the minimum.
    #[serde(deserialize_with = "load::size_from::<_, 268_435_456>")]
    #[schemars(with = "ByteSize")]
    pub memory: u64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self { device_memory: 192 << 30, work: 100, solver_ms: 60_000, tu_seconds: 300, memory: 4 << 30 }
    }
}

/// Build commands that wait for verdicts (`[build] check`). Each command reads its units, whichever wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BuildWaits {
    /// Each command that compiles or links waits.
    #[default]
    Compile,
    /// Each command that links waits.
    Link,
    /// Waits nowhere: `scuba check` and the end of `scuba build` decide.
    Never,
}

impl BuildWaits {
    /// Whether a command waits; `links` tells whether it links.
    #[must_use]
    pub fn at(self, links: bool) -> bool {
        match self {
            Self::Compile => true,
            Self::Link => links,
            Self::Never => false,
        }
    }
}

/// Table `[cache]`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheSettings {
    /// URL of a remote cache, for example s3://bucket/scuba.
    #[serde(deserialize_with = "load::remote_url")]
    #[schemars(with = "Option<String>")]
    pub url: Option<RemoteUrl>,
    /// File with the key that signs entries; the environment variable SCUBA_CACHE_KEY may hold the key instead.
    pub key_file: Option<PathBuf>,
    /// Whether new entries are sent to the remote cache.
    pub upload: bool,
    /// Longest wait for an answer of the remote cache, in milliseconds.
    #[serde(deserialize_with = "load::within::<_, 1, 60_000>")]
    #[schemars(range(min = 1, max = 60_000))]
    pub wait_ms: u32,
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { url: None, key_file: None, upload: true, wait_ms: 3000 }
    }
}

/// Selects one rule, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleSelector {
    All,
    One(Rule),
}

impl RuleSelector {
    #[must_use]
    pub fn matches(self, rule: Rule) -> bool {
        match self {
            Self::All => true,
            Self::One(r) => r == rule,
        }
    }
}

impl std::fmt::Display for RuleSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::One(r) => r.fmt(f),
        }
    }
}

impl std::str::FromStr for RuleSelector {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        if s == "all" {
            return Ok(Self::All);
        }
        s.parse().map(Self::One).map_err(|e: String| format!("{e}, all"))
    }
}

/// Entry of `[[allow]]`.
#[derive(Clone, Debug)]
pub struct AllowPath {
    pub rule: RuleSelector,
    /// Pattern for paths relative to scuba.toml's folder.
    pub glob: GlobMatcher,
    pub reason: String,
}

/// Setting `[confirm] when`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmWhen {
    /// Runs nothing.
    Never,
    /// Denied findings, where a GPU is present.
    #[default]
    Auto,
    /// Warnings, too.
    All,
}

/// Table `[confirm]`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Confirm {
    /// Findings that a GPU is asked about.
    pub when: ConfirmWhen,
    /// Program name or path of compute-sanitizer.
    pub compute_sanitizer: Option<PathBuf>,
    /// Padding between allocations in bytes (`compute-sanitizer --padding`).
    #[serde(deserialize_with = "load::within::<_, 0, 1_073_741_824>")]
    #[schemars(range(min = 0, max = 1_073_741_824))]
    pub padding: u32,
    /// Device memory in bytes above which a witness is not run.
    #[serde(deserialize_with = "load::size_from::<_, 1>")]
    #[schemars(with = "ByteSize")]
    pub max_bytes: u64,
    /// Time for one run, in seconds.
    #[serde(deserialize_with = "load::within::<_, 1, 86_400>")]
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_s: u32,
}

impl Default for Confirm {
    fn default() -> Self {
        Self { when: ConfirmWhen::Auto, compute_sanitizer: None, padding: 1024, max_bytes: 1 << 30, timeout_s: 60 }
    }
}

/// Settings of one project.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// File that the settings come from; `None`: all are defaults.
    pub path: Option<PathBuf>,
    /// Path or name of the real nvcc.
    pub nvcc: Option<PathBuf>,
    pub frontend: Frontend,
    pub limits: LimitSettings,
    /// Levels set for single rules.
    pub levels: BTreeMap<Rule, Level>,
    /// `[levels] all`: the level of every rule that `levels` does not name.
    pub level_of_all: Option<Level>,
    /// Functions whose callers only have to respect the signature: findings from them may be proved.
    pub roots: Vec<String>,
    /// Table `[entry]`.
    pub entry: EntrySelector,
    /// Conditions that always hold: `[[assume]]`.
    pub assume: Vec<StatedCondition>,
    /// Contracts of functions; those of types are in `invariants` (`[[contract]]`).
    pub contracts: Vec<Contract>,
    pub invariants: Vec<Invariant>,
    pub allow: Vec<AllowPath>,
    /// Table `[scope]`.
    pub scope: ProjectScope,
    /// Setting `[build] check`.
    pub waits: BuildWaits,
    /// Setting `[build] warm`.
    pub warm: bool,
    /// Absolute path of the baseline.
    pub baseline: Option<PathBuf>,
    pub confirm: Confirm,
    pub cache: CacheSettings,
}

impl Config {
    /// Folder of scuba.toml.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.path.as_deref().and_then(Path::parent)
    }
}
