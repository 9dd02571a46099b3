//! Allocations that may have failed, and the conditions. Plain data below the executor; [`super::allocation_failure`]
//! records and reads it.

use crate::symbolic::memory::object::ObjId;
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;

/// Possibly failed allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailedAllocations {
    /// Condition under which each of these succeeded; `None` if an object stands for the results of several calls.
    pub(super) given: FxHashMap<ObjId, Option<TermId>>,
    /// Result, once determined, of asking whether user code compares pointers loaded from memory with null and
    /// continues if they are null.
    pub(super) compares_members: Option<bool>,
}
