//! Reasons for unknown values: the one list, with the words that users see and the code that programs see.
//!
//! The module is below all rooms: the executor attaches reasons to values, the solver and the rules attach them to
//! verdicts, replays to both, and the report writes each with its [`ReasonCode`]. A reason carries what it names (functions,
//! arrays, other reasons). Reasons are distinguished by their variant, never by their words.

mod list;
#[cfg(test)]
mod tests;

pub use list::UnknownReason;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Stable kind of the reason why an access is undecided, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonCode {
    /// The budget of the access was spent.
    Work,
    /// A safety net ended the search.
    Time,
    Memory,
    ExtentUnknown,
    ContentsUnknown,
    CallUnknown,
    Loop,
    Float,
    NoLaunch,
    HostNotFollowed,
    Replay,
    Text,
    Asm,
    /// The access is in a tile kernel.
    Tile,
    /// The access depends on a unit that was linked without being read.
    Unseen,
    Other,
}

impl ReasonCode {
    /// Returns this code if it is a limit, else the other: a limit takes precedence over the code that it ended.
    const fn limit_or(self, other: Self) -> Self {
        match self {
            Self::Work | Self::Time | Self::Memory => self,
            Self::ExtentUnknown
            | Self::ContentsUnknown
            | Self::CallUnknown
            | Self::Loop
            | Self::Float
            | Self::NoLaunch
            | Self::HostNotFollowed
            | Self::Replay
            | Self::Text
            | Self::Asm
            | Self::Tile
            | Self::Unseen
            | Self::Other => other,
        }
    }

    /// Returns this code unless it is `Other`, else the other one.
    const fn or(self, other: Self) -> Self {
        if matches!(self, Self::Other) { other } else { self }
    }
}

/// Call that was being executed when a limit was reached: file and line, if known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptedCall(pub Option<(String, u32)>);

impl fmt::Display for InterruptedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some((file, line)) => write!(f, ", in the call at {file}:{line}"),
            None => Ok(()),
        }
    }
}

/// Value that a model sets although the program decides it, if the model sets one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice(pub Option<Box<UnknownReason>>);

impl ModelChoice {
    fn code(&self) -> ReasonCode {
        self.0.as_ref().map_or(ReasonCode::Other, |why| why.code())
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(why) => write!(f, " that sets {why}"),
            None => Ok(()),
        }
    }
}

impl UnknownReason {
    /// Calls `work` with the words of the reason.
    fn with_words<T>(&self, work: impl FnOnce(&str) -> T) -> T {
        match self.fixed() {
            Some(words) => work(words),
            None => work(&self.to_string()),
        }
    }
}

// Reasons are ordered and hashed by their words: users see which of several stands for all.

impl PartialOrd for UnknownReason {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for UnknownReason {
    fn cmp(&self, other: &Self) -> Ordering {
        self.with_words(|a| other.with_words(|b| a.cmp(b)))
    }
}

impl Hash for UnknownReason {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.with_words(|words| words.hash(state));
    }
}
