//! Reasons for unknown values: the one list, with the words that users see and the code that programs see.
//!
//! The module is below all rooms: the executor attaches reasons to values, the solver and the rules attach them to
//! verdicts, replays to both, and the report writes each with its [`ReasonCode`]. A reason carries what it names (functions,
//! arrays, other reasons). Reasons are distinguished by their variant, never by their words.

mod codes;
mod list;
#[cfg(test)]
mod tests;

pub use codes::{CodeInfo, ReasonCode};
pub use list::UnknownReason;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

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
            Some(why) => write!(f, " with a value chosen for {why}"),
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
