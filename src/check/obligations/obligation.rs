//! One proof obligation, and what can become of it.
//!
//! `facts ⊢ 0 ≤ offset ∧ offset + bytes ≤ extent`: one access to one object under one path condition. Plain data; [`super::decide`]
//! decides it.

use crate::solver::{Model, WrapMode};
use base::reasons::UnknownReason;
use engine::symbolic::terms::term::TermId;

/// What became of an obligation.
#[derive(Clone, Debug)]
pub enum Decision {
    Safe,
    /// Safe where these operations do not wrap.
    SafeIfNoWrap(Vec<String>),
    /// A model in which the access is out of bounds; it reads wraps as said.
    Fails {
        model: Model,
        mode: WrapMode,
        degenerate: bool,
    },
    Unknown(UnknownReason),
}

/// One access to one object under one condition. Terms are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Obligation {
    pub facts: TermId,
    pub offset: TermId,
    pub bytes: TermId,
    pub extent: TermId,
}

/// A model in which something happens that must not.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub model: Model,
    /// How it reads wraps.
    pub mode: WrapMode,
    /// Whether it takes a size below 1.
    pub degenerate: bool,
}
