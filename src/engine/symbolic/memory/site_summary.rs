//! Allocation-site summaries: memory that each iteration of a loop allocates and keeps,
//! `for (i = 0; i < n; i++) cudaMalloc(&d[i], size)`.
//!
//! An allocation in a loop's body is one object for all iterations. An array that stores its address at a different
//! index in each iteration holds as many allocations as there were iterations. If all have the same size, one object
//! stands for them; else one object stands for each element that is read, with the size that its iteration requested.
//! Contents of such memory are not followed, since several names may mean one allocation: each read gives another
//! value, comparisons of addresses are undecided, and a free of one may free any.
//!
//! Plain data below the executor; [`super::made_in_iterations`] makes and reads it.

use super::object::ObjId;
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Summary of one loop's allocations.
#[derive(Clone, Debug)]
pub(super) struct SiteSummary {
    /// Object that the current iteration allocates.
    pub(super) made: ObjId,
    /// Iteration symbol and the size in bytes that this iteration requests; `None` if all sizes are equal.
    pub(super) each: Option<(TermId, TermId)>,
    /// Objects of single elements, by element number.
    pub(super) elements: Vec<(TermId, ObjId)>,
    /// Element objects of an earlier execution of the loop, reused first so that enclosing loops reach a fixed point.
    pub(super) spare: VecDeque<ObjId>,
    /// Element numbers invented for spare objects whose number is not known.
    pub(super) numbers: FxHashMap<ObjId, TermId>,
}

/// Objects that stand for the allocations of several iterations, and the objects that current iterations allocate.
#[derive(Clone, Debug, Default)]
pub struct SummaryObjects {
    pub(super) iterations: FxHashMap<ObjId, SiteSummary>,
    /// Summary object to which each object belongs, including the objects that current iterations allocate.
    pub(super) clans: FxHashMap<ObjId, ObjId>,
}

impl SummaryObjects {
    /// Whether an object stands for an allocation of some iteration, rather than for that of the current one.
    pub(in crate::symbolic) fn has_other_names(&self, o: ObjId) -> bool {
        self.clans.get(&o).is_some_and(|all| self.iterations.get(all).is_some_and(|r| r.made != o))
    }

    /// Whether two objects may be one allocation under two names, or two allocations under one name.
    pub(in crate::symbolic) fn may_be_the_same(&self, a: ObjId, b: ObjId) -> bool {
        self.clans.get(&a).is_some_and(|all| self.clans.get(&b) == Some(all)) && (a != b || self.has_other_names(a))
    }

    /// Summary object that carries the `freed` condition of an allocation site.
    pub(in crate::symbolic) fn freed_as(&self, o: ObjId) -> ObjId {
        if self.has_other_names(o) { self.clans.get(&o).copied().unwrap_or(o) } else { o }
    }

    /// Names that an object's allocation may have, including its own.
    pub(super) fn names(&self, o: ObjId) -> Vec<ObjId> {
        let Some((all, r)) = self.clans.get(&o).and_then(|all| Some((*all, self.iterations.get(all)?))) else {
            return vec![o];
        };
        [r.made, all].into_iter().chain(r.elements.iter().map(|e| e.1)).chain(r.spare.iter().copied()).collect()
    }
}
