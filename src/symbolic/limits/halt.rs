//! Why an execution ended early, or passed something by ([`Halt`]).

use super::budget::Limit;

/// What there is to say against an execution so far.
#[derive(Clone, Debug, Default)]
pub(in crate::symbolic) struct Halt {
    /// Why it stopped early; then nothing that it did not reach may be called safe.
    gave_up: Option<String>,
    /// Why something was passed by that may launch kernels, or access memory in one; then nothing may be called safe.
    missed: Option<String>,
    /// The limit that stopped it.
    limit: Option<Limit>,
}

impl Halt {
    /// Whether all was executed.
    pub const fn is_nothing(&self) -> bool {
        self.gave_up.is_none() && self.missed.is_none()
    }

    pub fn gave_up(&self) -> Option<&str> {
        self.gave_up.as_deref()
    }

    pub const fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// Why it stopped, or else what it passed by.
    pub fn reason(self) -> Option<String> {
        self.gave_up.or(self.missed)
    }

    /// The first reason stays.
    pub(super) fn give_up(&mut self, reason: impl Into<String>) {
        if self.gave_up.is_none() {
            self.gave_up = Some(reason.into());
        }
    }

    /// The first reason stays.
    pub(super) fn miss(&mut self, reason: impl FnOnce() -> String) {
        self.missed.get_or_insert_with(reason);
    }

    pub(super) fn end_by(&mut self, limit: Limit, amid: &str) {
        if self.gave_up.is_none() {
            self.limit = Some(limit);
            self.give_up(format!("{limit}{amid}"));
        }
    }
}
