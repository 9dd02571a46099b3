//! The reasons why an execution ended early, or skipped something ([`Halt`]).

use super::budget::Limit;
use base::reasons::{InterruptedCall, UnknownReason};

/// Reasons for which an execution is incomplete so far.
#[derive(Clone, Debug, Default)]
pub(in crate::symbolic) struct Halt {
    /// Reason why it stopped early; then nothing that it did not reach may be called safe.
    gave_up: Option<UnknownReason>,
    /// Reason why something was skipped that may launch kernels, or access memory in one; then nothing may be called safe.
    missed: Option<UnknownReason>,
    /// The limit that stopped it.
    limit: Option<Limit>,
}

impl Halt {
    /// Whether everything was executed.
    pub const fn is_nothing(&self) -> bool {
        self.gave_up.is_none() && self.missed.is_none()
    }

    pub const fn gave_up(&self) -> Option<&UnknownReason> {
        self.gave_up.as_ref()
    }

    pub const fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// Returns why it stopped, or else what it skipped.
    pub fn reason(self) -> Option<UnknownReason> {
        self.gave_up.or(self.missed)
    }

    /// Records why the execution stopped; the first reason stays.
    pub(super) fn give_up(&mut self, reason: UnknownReason) {
        if self.gave_up.is_none() {
            self.gave_up = Some(reason);
        }
    }

    /// Records why something was skipped; the first reason stays.
    pub(super) fn miss(&mut self, reason: impl FnOnce() -> UnknownReason) {
        self.missed.get_or_insert_with(reason);
    }

    pub(super) fn end_by(&mut self, limit: Limit, amid: InterruptedCall) {
        if self.gave_up.is_none() {
            self.limit = Some(limit);
            self.give_up(limit.reason(amid));
        }
    }
}
