//! `scuba.toml`: the project's settings.
//!
//! In: a path, or a folder from which to search upwards. Out: a [`Config`] whose values are all in range and whose
//! paths are absolute. It knows nothing of command lines: `driver/` lays `-D`, `--frontend` and the like over it.

mod lenient;
mod load;
mod size;

pub use lenient::{LeftOut, load_leniently};
pub use load::{ConfigError, FILE_NAME, find, load, parse};
pub use size::{ByteSize, SizeError};

use base::rules::{Level, Rule};
use contracts::assume::Condition;
use contracts::{Contract, Entry, Invariant};
use globset::GlobMatcher;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which front end's facts are used (`[frontend] kind`, `--frontend`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
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
    /// As settings spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Clang => "clang",
            Self::Cgeist => "cgeist",
        }
    }
}

/// `[frontend]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontend {
    pub kind: FrontendKind,
    /// A program name or an absolute path; `None`: the default of the front end.
    pub clang: Option<PathBuf>,
    pub cgeist: Option<PathBuf>,
    /// The toolkit whose headers cgeist reads, absolute; `None`: nvcc's.
    pub cgeist_cuda: Option<PathBuf>,
    /// Flags given to clang after all others.
    pub flags: Vec<String>,
}

/// `[limits]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes; the sum of live device allocations is at most this.
    pub device_memory: u64,
    /// Hundredths of the usual budget of work: the only limit that verdicts depend on.
    pub work: u32,
    /// Milliseconds for one question to the solver: a safety net.
    pub solver_ms: u32,
    /// Seconds for one translation unit or program; what is left then is undecided. A safety net.
    pub tu_seconds: u32,
    /// Bytes of address space for one worker process.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { device_memory: 192 << 30, work: 100, solver_ms: 60_000, tu_seconds: 300, memory: 4 << 30 }
    }
}

/// At which of its commands a build waits for verdicts (`[build] check`). Units are read by all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Waits {
    /// At each that compiles or links.
    #[default]
    Compile,
    /// At each that links.
    Link,
    /// At none: `scuba check`, and the end of `scuba build`, decide.
    Never,
}

impl Waits {
    /// Whether a command waits, one that links or one that does not.
    #[must_use]
    pub fn at(self, links: bool) -> bool {
        match self {
            Self::Compile => true,
            Self::Link => links,
            Self::Never => false,
        }
    }
}

/// A rule, or all of them.
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

/// One `[[allow]]`.
#[derive(Clone, Debug)]
pub struct AllowPath {
    pub rule: RuleSelector,
    /// Matched against paths relative to scuba.toml's folder.
    pub glob: GlobMatcher,
    pub reason: String,
}

/// `[confirm] when`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmWhen {
    Never,
    /// Denied findings, where a GPU is present.
    #[default]
    Auto,
    All,
}

/// `[confirm]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    pub when: ConfirmWhen,
    pub compute_sanitizer: Option<PathBuf>,
    /// Bytes between allocations (`compute-sanitizer --padding`).
    pub padding: u32,
    /// Bytes; a witness that needs more device memory is not run.
    pub max_bytes: u64,
    /// Seconds for one run.
    pub timeout_s: u32,
}

impl Default for Confirm {
    fn default() -> Self {
        Self { when: ConfirmWhen::Auto, compute_sanitizer: None, padding: 1024, max_bytes: 1 << 30, timeout_s: 60 }
    }
}

/// The settings of one project.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The scuba.toml they come from; `None`: all defaults.
    pub path: Option<PathBuf>,
    /// The real nvcc.
    pub nvcc: Option<PathBuf>,
    pub frontend: Frontend,
    pub limits: Limits,
    /// Levels set for single rules.
    pub levels: BTreeMap<Rule, Level>,
    /// `[levels] all`: the level of every rule that `levels` does not name.
    pub level_of_all: Option<Level>,
    /// Functions whose callers are known to keep to their signatures alone: findings from them may be proved.
    pub roots: Vec<String>,
    /// `[entry]`.
    pub entry: Entry,
    /// `[[assume]]`: what always holds.
    pub assume: Vec<Condition>,
    /// `[[contract]]`: of functions, and of types.
    pub contracts: Vec<Contract>,
    pub invariants: Vec<Invariant>,
    pub allow: Vec<AllowPath>,
    /// `[build] check`.
    pub waits: Waits,
    /// Absolute.
    pub baseline: Option<PathBuf>,
    pub confirm: Confirm,
}

impl Config {
    /// The folder of scuba.toml.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.path.as_deref().and_then(Path::parent)
    }
}
