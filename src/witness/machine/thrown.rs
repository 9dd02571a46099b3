//! Exceptions of the host thread. Types only; `unwind` follows them.

use super::value::Val;
use crate::api::ProgramPoint;

/// A thrown object.
#[derive(Clone, Debug)]
pub struct ThrownObject {
    pub object: Val,
    /// Symbol of the description of its type (`_ZTI…`); `None` where it is unknown.
    pub class: Option<String>,
    /// The innermost call outside system headers that threw it.
    pub at: Option<ProgramPoint>,
}

/// Exceptions of the host thread.
#[derive(Debug, Default)]
pub struct Exceptions {
    /// Exceptions for which no handler has begun, the last thrown last: clean-up may throw and catch on its own.
    pub flying: Vec<ThrownObject>,
    /// Exceptions in handlers, the innermost last.
    pub caught: Vec<ThrownObject>,
}
