//! One proof obligation, and its possible decisions.
//!
//! `facts ⊢ 0 ≤ offset ∧ offset + bytes ≤ extent`: one access to one object under one path condition. Plain data;
//! [`super::decide`] decides it.

use crate::solver::{Model, WrapMode};
use base::reasons::UnknownReason;
use engine::symbolic::terms::arena::Arena;
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

impl Obligation {
    /// Whether ranges alone show that the access stays in its object.
    pub fn is_settled(&self, a: &mut Arena) -> bool {
        let [offset, bytes, extent] = [self.offset, self.bytes, self.extent].map(|t| a.range(t));
        let end = offset.hi.zip(bytes.hi).and_then(|(offset, bytes)| offset.checked_add(bytes));
        if offset.lo.is_some_and(|least| least >= 0) && end.zip(extent.lo).is_some_and(|(end, least)| end <= least) {
            return true;
        }
        let (zero, end) = (a.int(0), a.add(self.offset, self.bytes));
        let goals = [a.le(zero, self.offset), a.le(end, self.extent)];
        goals.into_iter().all(|goal| a.as_bool(goal) == Some(true))
    }
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
