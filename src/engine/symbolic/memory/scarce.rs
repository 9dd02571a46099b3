//! Which allocations may have failed, and when. Plain data below the executor; [`super::allocation_failure`] notes and reads it.

use crate::symbolic::memory::object::ObjId;
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;

/// What allocations may not have given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scarce {
    /// When each that may have failed succeeded; `None` where an object stands for what several calls gave.
    pub(super) given: FxHashMap<ObjId, Option<TermId>>,
    /// Whether user code compares pointers with null that it reads from memory, and goes on where they are.
    pub(super) compares_members: Option<bool>,
}
