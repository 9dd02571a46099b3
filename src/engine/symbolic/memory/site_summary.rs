//! Allocation-site summaries: memory that every round of a loop allocates and keeps, `for (i = 0; i < n; i++) cudaMalloc(&d[i], size)`.
//!
//! An allocation in a loop's body is one object for all rounds. An array that gets its address at another place in each round holds as
//! many allocations as there were rounds. They are one object, where all have the same size, else one for each element that is read: of
//! the size that its round asked for. What such memory holds is not followed, since several names may mean one of them: each read
//! gives another value, comparisons of addresses are open, and whoever frees one may have freed any.
//!
//! Plain data below the executor; [`super::made_in_rounds`] makes and reads them.

use super::object::ObjId;
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What the rounds of one loop allocated.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// What the round at hand allocates.
    pub(super) made: ObjId,
    /// The round, and the size in bytes that it asks for, where rounds ask for different ones.
    pub(super) each: Option<(TermId, TermId)>,
    /// Memory of single elements, by their numbers.
    pub(super) elements: Vec<(TermId, ObjId)>,
    /// What stood for elements when the loop was executed before: the next ones, so that loops around it come to an end.
    pub(super) spare: VecDeque<ObjId>,
    /// Numbers that are given to such objects meanwhile.
    pub(super) numbers: FxHashMap<ObjId, TermId>,
}

/// Objects that stand for what several rounds allocated, and those that the round at hand does.
#[derive(Clone, Debug, Default)]
pub struct Several {
    pub(super) rounds: FxHashMap<ObjId, Rounds>,
    /// To which of them an object belongs, what the round at hand allocates included.
    pub(super) clans: FxHashMap<ObjId, ObjId>,
}

impl Several {
    /// Whether an object stands for what some round allocated, and not for what the round at hand does.
    pub(in crate::symbolic) fn has_other_names(&self, o: ObjId) -> bool {
        self.clans.get(&o).is_some_and(|all| self.rounds.get(all).is_some_and(|r| r.made != o))
    }

    /// Whether two objects may be one, though they have two names, or be two that have one name.
    pub(in crate::symbolic) fn may_be_the_same(&self, a: ObjId, b: ObjId) -> bool {
        self.clans.get(&a).is_some_and(|all| self.clans.get(&b) == Some(all)) && (a != b || self.has_other_names(a))
    }

    /// Summary object that carries the `freed` condition of an allocation site.
    pub(in crate::symbolic) fn freed_as(&self, o: ObjId) -> ObjId {
        if self.has_other_names(o) { self.clans.get(&o).copied().unwrap_or(o) } else { o }
    }

    /// All names of what an object may be, itself included.
    pub(super) fn names(&self, o: ObjId) -> Vec<ObjId> {
        let Some((all, r)) = self.clans.get(&o).and_then(|all| Some((*all, self.rounds.get(all)?))) else {
            return vec![o];
        };
        [r.made, all].into_iter().chain(r.elements.iter().map(|e| e.1)).chain(r.spare.iter().copied()).collect()
    }
}
