//! Work that graphs keep: launches, copies and fills that a stream's capture, or a call that makes a node, records for later.
//!
//! The work is judged where the program asks for it, with unknown contents of device memory: a graph does it any number of
//! times, at any later time, with these arguments. What is left for the launch of a graph is whether the memory is still there.
//!
//! Plain data below the executor; `graph_work` and `host/graphs.rs` record and read it. Which capture is under way is part of a
//! state.

use super::events::{AccessKind, LaunchEvent};
use super::site::Site;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::GuardedTarget;
use crate::symbolic::terms::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Number of the capture or graph that work belongs to; `None` if it may be any.
pub type GraphNumber = Option<i64>;

/// Side of a copy or fill.
#[derive(Clone, Debug)]
pub struct KeptSide {
    pub targets: Rc<Vec<GuardedTarget>>,
    pub bytes: TermId,
    pub kind: AccessKind,
}

/// Work that a graph keeps.
#[derive(Clone, Debug)]
pub struct GraphWork {
    pub of: GraphNumber,
    /// Call that asked for it, and how often it was executed.
    pub by: (u64, Site),
    pub times: usize,
    pub stack: Rc<Vec<Site>>,
    pub path: TermId,
    pub launch: Option<Rc<LaunchEvent>>,
    pub sides: Vec<KeptSide>,
    /// Memory that it is given; `anywhere` if an address among it is unknown.
    pub given: Vec<ObjId>,
    pub anywhere: bool,
}

/// Owner of memory that a graph allocates: the graph, and the node if it was not captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOwner {
    pub graph: GraphNumber,
    pub node: Option<i64>,
    /// Whether the graph frees it as well.
    pub freed_inside: bool,
}

/// Node that is being made: its number, and those that it runs behind, itself included. `None` if that is not known.
#[derive(Clone, Debug, Default)]
pub struct NewNode {
    pub number: Option<i64>,
    pub behind: Option<FxHashSet<i64>>,
}

/// Graphs of an execution.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    pub work: Vec<GraphWork>,
    /// Numbers of graphs by the numbers of their handles.
    pub handles: FxHashMap<i64, GraphNumber>,
    /// Graphs, and others that are part of them.
    parts: Vec<(GraphNumber, GraphNumber)>,
    /// Memory that graphs allocate at their launches.
    pub memory: FxHashMap<ObjId, MemoryOwner>,
    /// Nodes by the numbers of their handles, with those that each runs behind, itself included.
    pub nodes: FxHashMap<i64, FxHashSet<i64>>,
    /// Node that a call is making.
    pub making: Option<NewNode>,
    /// Memory that graphs allocate, and nodes that use it.
    pub users: Vec<(ObjId, Option<i64>)>,
    /// Whether a graph was changed through a handle that is not known.
    pub mixed: bool,
    /// Object whose only cell holds, in a state, the number of the capture that is under way.
    pub(super) now: Option<ObjId>,
}

/// Whether streams are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureUnderWay {
    No,
    Into(GraphNumber),
}

impl Captures {
    /// Counts what was recorded.
    pub(super) fn noted(&self) -> usize {
        let given: usize = self.work.iter().map(|w| w.given.len() + usize::from(w.anywhere) + w.times.min(2)).sum();
        let of_any = self.handles.values().filter(|of| of.is_none()).count();
        let owned = self.memory.len() + self.nodes.len() + self.users.len();
        given + owned + self.handles.len() + of_any + self.parts.len() + usize::from(self.mixed)
    }

    /// Records work. A call that asks again adds to what it asked for before.
    pub fn keep(&mut self, mut new: GraphWork) {
        let Some(old) = self.work.iter_mut().find(|w| w.by == new.by && w.of == new.of) else {
            self.work.push(new);
            return;
        };
        new.times = old.times + 1;
        for o in &old.given {
            if !new.given.contains(o) {
                new.given.push(*o);
            }
        }
        new.anywhere |= old.anywhere;
        *old = new;
    }

    /// Records that a graph does the work of another one as a part of its own.
    pub fn include(&mut self, of: GraphNumber, part: GraphNumber) {
        if !self.parts.contains(&(of, part)) {
            self.parts.push((of, part));
        }
    }

    /// Returns the work that a graph may have.
    #[must_use]
    pub fn work_of(&self, graph: GraphNumber) -> Vec<GraphWork> {
        let mut all = vec![graph];
        let mut at = 0;
        while let Some(g) = all.get(at).copied() {
            if g.is_none() || self.mixed {
                return self.work.clone();
            }
            let parts: Vec<GraphNumber> =
                self.parts.iter().filter(|(of, _)| *of == g || of.is_none()).map(|(_, part)| *part).collect();
            all.extend(parts.into_iter().filter(|p| !all.contains(p)).collect::<Vec<_>>());
            at += 1;
        }
        self.work.iter().filter(|w| w.of.is_none() || all.contains(&w.of)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Captures, GraphWork};
    use crate::symbolic::exec::site::Site;
    use crate::symbolic::memory::object::ObjId;
    use crate::symbolic::terms::arena::Arena;
    use ir::{BlockId, FuncId, FuncRef, ModuleId};
    use std::rc::Rc;

    #[test]
    fn a_graph_has_its_own_work_that_of_its_parts_and_what_may_be_of_any() {
        let path = Arena::new().bool(true);
        let func = FuncRef { module: ModuleId(0), func: FuncId(0) };
        let work = |of, inst, given| GraphWork {
            of,
            by: (0, Site { func, block: BlockId(0), inst }),
            times: 1,
            stack: Rc::new(vec![]),
            path,
            launch: None,
            sides: vec![],
            given,
            anywhere: false,
        };
        let mut all = Captures::default();
        for (of, inst) in [(Some(1), 1), (Some(2), 2), (None, 3), (Some(4), 4)] {
            all.keep(work(of, inst, vec![ObjId(inst)]));
        }
        all.include(Some(2), Some(4));
        let given = |all: &Captures, of| all.work_of(of).iter().flat_map(|w| w.given.clone()).collect::<Vec<_>>();
        assert_eq!(given(&all, Some(1)), [1, 3].map(ObjId));
        assert_eq!(given(&all, Some(2)), [2, 3, 4].map(ObjId));
        assert_eq!(given(&all, None), [1, 2, 3, 4].map(ObjId));
        // A call that asks again may be given other memory.
        all.keep(work(Some(1), 1, vec![ObjId(7)]));
        assert_eq!(given(&all, Some(1)), [7, 1, 3].map(ObjId));
        assert_eq!(all.work_of(Some(1))[0].times, 2);
    }
}
