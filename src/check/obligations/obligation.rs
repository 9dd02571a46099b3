//! One proof obligation, and its possible decisions.
//!
//! `facts ⊢ 0 ≤ offset ∧ offset + bytes ≤ extent`: one access to one object under one path condition. Plain data;
//! [`super::decide`] decides it.

use crate::solver::{Model, WrapMode};
use base::reasons::UnknownReason;
use engine::symbolic::terms::term::TermId;

/// Decision of an obligation.
#[derive(Clone, Debug)]
pub enum Decision {
    Safe,
    /// Safe where these operations do not wrap.
    SafeIfNoWrap(Vec<String>),
    /// The access is out of bounds in a model.
    Fails(Counterexample),
    Unknown(UnknownReason),
}

/// An access to an object under a condition. Terms are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Obligation {
    pub facts: TermId,
    pub offset: TermId,
    pub bytes: TermId,
    pub extent: TermId,
}

/// A model in which a forbidden event happens.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub model: Model,
    /// Reading of wraps in the model.
    pub mode: WrapMode,
    /// Whether the model needs a size below 1.
    pub degenerate: bool,
}
