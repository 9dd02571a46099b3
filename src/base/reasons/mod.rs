//! Why something is not known: the one list of reasons, with the words that users see and the code that programs see.
//!
//! It lies below all rooms: the executor gives reasons to values, the solver and the rules to verdicts, replays to both, and the report
//! writes each down with its [`Code`]. Reasons carry what they name (functions, arrays, other reasons), and are told apart by their
//! variant, never by their words.

mod list;
#[cfg(test)]
mod tests;

pub use list::UnknownReason;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Why an access is open, in a word for programs; stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// Its budget was spent.
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
    /// It is one of a tile kernel.
    Tile,
    /// It depends on a unit that was linked without being read.
    Unseen,
    Other,
}

impl Code {
    /// A limit outweighs whatever it ended.
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

    /// This one, where it says anything.
    const fn or(self, other: Self) -> Self {
        if matches!(self, Self::Other) { other } else { self }
    }
}

/// The call that was being executed when a limit was reached: file and line, where they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InTheCall(pub Option<(String, u32)>);

impl fmt::Display for InTheCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some((file, line)) => write!(f, ", in the call at {file}:{line}"),
            None => Ok(()),
        }
    }
}

/// What a model sets that the program decides, if it sets such a thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfModel(pub Option<Box<UnknownReason>>);

impl OfModel {
    fn code(&self) -> Code {
        self.0.as_ref().map_or(Code::Other, |why| why.code())
    }
}

impl fmt::Display for OfModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(why) => write!(f, " that sets {why}"),
            None => Ok(()),
        }
    }
}

impl UnknownReason {
    /// Does something with its words.
    fn with_words<T>(&self, work: impl FnOnce(&str) -> T) -> T {
        match self.fixed() {
            Some(words) => work(words),
            None => work(&self.to_string()),
        }
    }
}

// Reasons are ordered, and hashed, as they read: which of several stands for all is seen by users.

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
